import { Alert } from "@cloudscape-design/components";
import { useState } from "react";
import { useLocation } from "wouter";
import { addresses } from "../../../../../lambdas/shared/addresses.ts";
import type { Trust } from "../../../api/types.ts";
import { FormDialog, useDone } from "../../../parts/dialog.tsx";
import { SelectField } from "../../../parts/fields.tsx";
import { useForm } from "../../../parts/form.ts";
import { durationInWords, useNow } from "../../../parts/time.ts";
import { asNamed, TokenMention, tokenName } from "../../../parts/token-name.tsx";
import { newTerms, termErrors, unchangedExpiry } from "../../../records/terms.ts";
import { useLoadedTokens } from "../../../records/token-list.ts";
import { describeTerms, useEdit } from "../dialogs/edit-dialog.tsx";
import { tokensInWords } from "../list/several.ts";
import { isLive, statusOf } from "../token/token-status.ts";
import { identityErrors, identityOf, noParts, platforms } from "./platforms.ts";
import { IdentityFields, TrustFields, type TrustTerms, type TypedTrust, trustTermsOf } from "./trust-form.tsx";

const [github] = platforms;
const newTrust: TypedTrust = {
  ...newTerms,
  expires_at: { preset: "never", date: "" },
  token_seconds: "3600",
  ip: "",
};
const options = platforms.map(({ label }) => ({ value: label, label }));

/** Trusts a workload. Asks for its identity and the terms of its tokens. The workload's page then shows how to set it up. */
export const TrustDialog = () => {
  const [, navigate] = useLocation();
  const done = useDone();
  const [platform, setPlatform] = useState(github);
  const form = useForm({
    initial: { ...newTrust, client: "", ...noParts, ...github.initial },
    check: (typed) => ({ ...termErrors(typed), ...identityErrors(platform, typed) }),
    send: (api, typed) =>
      api("create_trust", {
        ...identityOf(platform, typed),
        ...trustTermsOf(typed),
        client: typed.client || null,
      }),
    onDone: (trust) => {
      navigate(addresses.token(trust.trust_id));
      done(`The workload ${tokenName(asNamed(trust))} is trusted.`);
    },
  });
  const choose = (label: string) => {
    const chosen = platforms.find((one) => one.label === label) ?? github;
    const isComplete = Object.values(identityErrors(platform, form.values)).every((problem) => problem === "");
    const isByHand = chosen.label === "Other" && isComplete;
    setPlatform(chosen);
    form.restart({ ...noParts, ...(isByHand ? identityOf(platform, form.values) : chosen.initial) });
  };
  return (
    <FormDialog
      title="Trust a workload"
      submitText="Trust workload"
      failureTitle="The workload is not trusted"
      unknownOutcomeText="The workload may or may not be trusted now. It is safe to try again: there is at most one trust for a subject."
      form={form}
    >
      <div>
        The platform identifies the workload with a signed JWT. The workload exchanges the JWT for a token, so nobody
        has to store a secret.
      </div>
      <SelectField
        label="Platform"
        constraintText={platform.hint}
        options={options}
        value={platform.label}
        error=""
        onChange={choose}
      />
      <IdentityFields platform={platform} parts={form.values} fields={form.fields} onPaste={form.restart} />
      <TrustFields fields={form.fields} client={form.fields.client} />
    </FormDialog>
  );
};

/** Changes the terms of a trust. */
export const EditTrustDialog = ({ trust }: { trust: Trust }) => {
  const { trust_id, comment, token_seconds, ip, rate_limit, expires_at } = trust;
  const save = useEdit<TrustTerms, Trust>({
    record: trust,
    describe,
    load: (api) => api("get_trust", { trust_id }),
    save: (api, edit) => api("update_trust", { trust_id, ...edit }),
    notice: (edited) => `The trust in ${tokenName(asNamed(edited))} was edited.`,
  });
  const initial: TypedTrust = {
    comment,
    token_seconds: String(token_seconds),
    ip: ip ?? "",
    rate_limit: String(rate_limit ?? ""),
    expires_at: unchangedExpiry,
  };
  const form = useForm({
    initial,
    check: (typed) => termErrors(typed, expires_at),
    send: (api, typed) => save.send(api, trustTermsOf(typed, expires_at)),
    onDone: save.onDone,
  });
  return (
    <FormDialog title="Edit the trust" submitText="Save changes" failureTitle="The trust was not edited" form={form}>
      <div>
        A new address, limit or end applies to all tokens of <TokenMention token={asNamed(trust)} /> from their next
        request. A new lifetime applies to new tokens.
      </div>
      <TrustFields fields={form.fields} current={expires_at} />
    </FormDialog>
  );
};

const describe = {
  ...describeTerms,
  token_seconds: ({ token_seconds }: TrustTerms) => durationInWords(token_seconds),
  ip: ({ ip }: TrustTerms) => ip ?? "any address",
};

/** Counts the live tokens of a trusted workload among those that have been loaded. */
export const useLiveCount = ({ trust_id }: Trust): number => {
  const { data: list } = useLoadedTokens();
  const now = useNow();
  const tokens = [...(list?.byId.values() ?? [])];
  return tokens.filter((token) => token.trust_id === trust_id && isLive(statusOf(token, now))).length;
};

interface EndTrustDialogProps {
  trust: Trust;
  /** What ends. */
  what: keyof typeof endTexts;
}

/** Ends a trust, or only the tokens that it has issued. */
export const EndTrustDialog = ({ trust, what }: EndTrustDialogProps) => {
  const { action, notice, consequence, ...texts } = endTexts[what];
  const count = useLiveCount(trust);
  const done = useDone();
  const form = useForm({
    initial: {},
    send: (api) => api(action, { trust_id: trust.trust_id }),
    onDone: (ended) => done(notice(tokenName(asNamed(ended)))),
  });
  return (
    <FormDialog {...texts} isDangerous form={form}>
      <div>
        <TokenMention token={asNamed(trust)} /> has {count === 0 ? "no token" : tokensInWords(count)} now
        {count > 0 && `. ${count === 1 ? "It is" : "They are"} rejected from the next request`}. {consequence}
      </div>
      <Alert type="warning">This cannot be undone.</Alert>
    </FormDialog>
  );
};

export const endTexts = {
  tokens: {
    action: "end_trust_tokens",
    title: "End all tokens of the workload",
    submitText: "End tokens",
    failureTitle: "The tokens have not ended",
    notice: (workload: string) => `The tokens of ${workload} have ended.`,
    consequence: "The workload stays trusted, and can exchange a new JWT for a new token.",
  },
  trust: {
    action: "end_trust",
    title: "End the trust",
    submitText: "End trust",
    failureTitle: "The trust has not ended",
    notice: (workload: string) => `The workload ${workload} is no longer trusted.`,
    consequence: "The workload gets no new tokens until an admin trusts it again.",
  },
} as const;
