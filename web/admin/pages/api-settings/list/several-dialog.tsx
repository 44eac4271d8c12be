import {
  Alert,
  Button,
  type ButtonProps,
  ExpandableSection,
  LiveRegion,
  SpaceBetween,
  StatusIndicator,
} from "@cloudscape-design/components";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ApiFailure } from "../../../api/api-failure.ts";
import type { Token } from "../../../api/types.ts";
import { Dialog, FormDialog, useDialogs } from "../../../parts/dialog.tsx";
import { useForm } from "../../../parts/form.ts";
import { showToken } from "../../../records/caches.ts";
import { useBlocker } from "../../../session/blocker.ts";
import { expiresAt, expiryError, newTerms } from "../../../tokens/terms.ts";
import { TokenMention } from "../../../tokens/token-name.tsx";
import { ExpiryField } from "../dialogs/term-fields.tsx";
import { canRetry, type Outcome, planFor, runEach, type SeveralAction, tokensInWords } from "./several.ts";

interface SeveralDialogProps {
  action: SeveralAction;
  selected: Token[];
  /** Called with the tokens that need no further action. */
  onFinished: (finished: Token[]) => void;
}

/** Runs an action on several tokens. Shows first the plan, then the progress, and finally the result for each token. */
export const SeveralDialog = ({ action, selected, onFinished }: SeveralDialogProps) => {
  const { close } = useDialogs();
  const client = useQueryClient();
  const texts = actionTexts[action];
  const [{ tokens, skipped, inUseCount }] = useState(() => planFor(action, selected, Date.now()));
  const [outcomes, setOutcomes] = useState<ReadonlyMap<Token, Outcome>>(new Map());
  const stopper = useRef(new AbortController());
  const [isStopping, setStopping] = useState(false);
  const retriable = tokens.filter((token) => canRetry(outcomes.get(token)));
  const form = useForm({
    initial: { expires_at: newTerms.expires_at },
    check: (typed) => ({ expires_at: expiryError(typed.expires_at) }),
    send: async (api, typed): Promise<undefined> => {
      const expires_at = expiresAt(typed.expires_at, Date.now());
      if (expires_at === undefined) return;
      stopper.current = new AbortController();
      setStopping(false);
      let isListOutdated = false;
      await runEach(retriable, {
        signal: stopper.current.signal,
        run: async ({ token_id }) => {
          const send = action === "revoke" ? api("revoke", { token_id }) : api("update", { token_id, expires_at });
          await showToken(client, await send);
        },
        onOutcome: (token, outcome) => {
          isListOutdated ||= outcome instanceof ApiFailure && outcome.status !== 401;
          setOutcomes((known) => new Map(known).set(token, outcome));
        },
      });
      if (isListOutdated) client.invalidateQueries();
    },
    isRepeatable: true,
  });
  const { isLocked: isRunning } = form;
  // The browser asks before it leaves the page halfway through.
  useBlocker(isRunning);

  const skippedTokens = skipped.length > 0 && (
    <Expandable title={`${tokensInWords(skipped.length)} skipped`} count={skipped.length}>
      {skipped.map(({ token, reason }) => (
        <li key={token.token_id}>
          <TokenMention token={token} /> <span className="remark">{reason}</span>
        </li>
      ))}
    </Expandable>
  );
  if (tokens.length === 0) {
    return (
      <Dialog title={texts.nothing} onClose={close} actions={<Button onClick={close}>Close</Button>}>
        {skippedTokens}
      </Dialog>
    );
  }
  if (outcomes.size === 0) {
    return (
      <FormDialog
        title={`${texts.action} ${tokensInWords(tokens.length)}`}
        submitText={action === "revoke" ? `Revoke ${tokensInWords(tokens.length)}` : "Set expiry"}
        isDangerous={action === "revoke"}
        failureTitle=""
        unknownOutcomeText=""
        form={form}
      >
        {action === "expiry" && <ExpiryField {...form.fields.expires_at} />}
        <Expandable title={tokensInWords(tokens.length)} count={tokens.length}>
          {tokens.map((token) => (
            <li key={token.token_id}>
              <TokenMention token={token} />
            </li>
          ))}
        </Expandable>
        <div>
          {inUseCount === 0
            ? "None of them was used in the last seven days."
            : `${inUseCount.toLocaleString("en")} of them ${inUseCount === 1 ? "was" : "were"} used in the last seven days.`}
        </div>
        {skippedTokens}
        {action === "revoke" && (
          <Alert type="warning">
            They are refused from their next request, and invitations can no longer be redeemed. This cannot be undone.
            Their records stay in the table for 90 days.
          </Alert>
        )}
      </FormDialog>
    );
  }

  const finish = () => {
    if (isRunning) return;
    close();
    onFinished(selected.filter((token) => !retriable.includes(token)));
  };
  const stop = () => {
    if (form.hasJustBegun()) return;
    stopper.current.abort();
    setStopping(true);
  };
  const doneCount = tokens.filter((token) => outcomes.get(token) === "done").length;
  // Failures come first, so that none is hidden in a long list.
  const place = (token: Token): number => Number(!(outcomes.get(token) instanceof ApiFailure));
  return (
    <Dialog
      title={isRunning ? texts.running : "Result"}
      onClose={finish}
      actions={
        <>
          {!isRunning && retriable.length > 0 && (
            <Button onClick={form.submit}>Try again for {tokensInWords(retriable.length)}</Button>
          )}
          {isRunning ? (
            <FocusedButton key="stop" onClick={stop} loading={isStopping} loadingText="Stopping">
              Stop
            </FocusedButton>
          ) : (
            <FocusedButton key="close" variant="primary" onClick={finish}>
              Close
            </FocusedButton>
          )}
        </>
      }
    >
      <SpaceBetween size="m">
        <LiveRegion>
          <StatusIndicator type={isRunning ? "loading" : doneCount === tokens.length ? "success" : "warning"}>
            {doneCount.toLocaleString("en")} of {tokensInWords(tokens.length)} {texts.done.toLowerCase()}
          </StatusIndicator>
        </LiveRegion>
        <ul className="stack">
          {tokens
            .toSorted((one, other) => place(one) - place(other))
            .map((token) => (
              <li key={token.token_id}>
                <TokenMention token={token} />
                <div>
                  <Result action={action} outcome={outcomes.get(token)} isRunning={isRunning} />
                </div>
              </li>
            ))}
        </ul>
        {skippedTokens}
      </SpaceBetween>
    </Dialog>
  );
};

/** Lists tokens. Long lists are collapsed at first. */
const Expandable = ({ title, count, children }: { title: string; count: number; children: ReactNode }) => (
  <ExpandableSection headerText={title} defaultExpanded={count <= 5}>
    <ul className="stack">{children}</ul>
  </ExpandableSection>
);

/** Takes the focus, because the previously focused button may be gone. Content above it stays in view. */
const FocusedButton = (props: ButtonProps) => {
  const button = useRef<ButtonProps.Ref>(null);
  useEffect(() => button.current?.focus({ preventScroll: true }), []);
  return <Button {...props} ref={button} />;
};

interface ResultProps {
  action: SeveralAction;
  outcome: Outcome | undefined;
  isRunning: boolean;
}

/** Shows the result for one token, and what to do about it. Long texts are outside indicators, which break within words. */
const Result = ({ action, outcome, isRunning }: ResultProps) => {
  const { done, again } = actionTexts[action];
  if (outcome === "done") return <StatusIndicator type="success">{done}</StatusIndicator>;
  if (outcome === "running") return <StatusIndicator type="in-progress">In progress</StatusIndicator>;
  if (!outcome && isRunning) return <StatusIndicator type="pending">Waiting</StatusIndicator>;
  const isUnknown = outcome?.isOutcomeUnknown ?? false;
  const type = !outcome ? "stopped" : isUnknown ? "warning" : "error";
  return (
    <>
      <StatusIndicator type={type}>{isUnknown ? "Not known" : `Not ${done.toLowerCase()}`}</StatusIndicator>
      <div>
        {outcome ? [outcome.message, ...Object.values(outcome.fields).flat()].join(" ") : "Nothing was sent."}
        {isUnknown && ` ${again}`}
      </div>
    </>
  );
};

const actionTexts = {
  revoke: {
    action: "Revoke",
    running: "Revoking tokens",
    done: "Revoked",
    again: "It may or may not have been revoked; it is safe to revoke it again.",
    nothing: "None of the selected tokens can be revoked",
  },
  expiry: {
    action: "Set the expiry of",
    running: "Setting the expiry",
    done: "Changed",
    again: "Its expiry may or may not have been changed; it is safe to set it again.",
    nothing: "None of the selected tokens can be given a new expiry",
  },
} as const;
