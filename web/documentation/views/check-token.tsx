import { tokenPaths } from "../../../lambdas/addresses.ts";
import { useOnce } from "../../parts/use-once.ts";
import { Heading } from "../parts/headings.tsx";
import { CredentialField, useReader } from "../parts/reader.tsx";
import type { Call } from "../samples/sample-of.ts";
import { objectIn, type ShownResponse, send } from "../samples/send.ts";
import { NoResponse, Refusal } from "./outcome-view.tsx";

const call: Pick<Call, "method" | "path" | "headers"> = {
  method: "GET",
  path: tokenPaths.token,
  headers: [["X-Token", { credential: "token" }]],
};

/** Describes the reader's token, and the address that the reader calls from. */
export const CheckToken = () => {
  const reader = useReader();
  const sending = useOnce<void, ShownResponse>(() => send(call, reader), { isRepeatable: true });
  return (
    <section className="try prose">
      <Heading id="try-it" title="Try it here" />
      <CredentialField credential="token" />
      <button type="button" className="send" disabled={sending.isLocked} onClick={() => sending.run()}>
        Check this token
      </button>
      <div className="outcome" aria-live="polite">
        {sending.failure && <NoResponse />}
        {sending.result &&
          (sending.result.status === 200 ? <Works response={sending.result} /> : <Refusal response={sending.result} />)}
      </div>
    </section>
  );
};

const Works = ({ response: { body } }: { response: ShownResponse }) => {
  const { seen_ip, expires_at } = objectIn(body);
  return (
    <p className="advice">
      <strong>This token works.</strong> You call from <code>{seen_ip}</code>.{" "}
      {expires_at
        ? `The token expires on ${new Date(expires_at).toLocaleDateString("en-GB", { dateStyle: "long" })}.`
        : "The token does not expire."}
    </p>
  );
};
