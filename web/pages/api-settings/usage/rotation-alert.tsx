import Alert, { type AlertProps } from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import type { Token } from "../../../api/token.ts";
import type { Rotation, Usage } from "../../../api/usage.ts";
import { FailureAlert } from "../../../parts/failure-alert.tsx";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { Moment } from "../../../parts/moment.tsx";
import { useSubmit } from "../../../parts/use-submit.ts";
import { useApp } from "../../../shell/app-context.ts";
import { tokenName } from "../token-name.tsx";

interface RotationAlertProps {
  token: Token;
  usage: Usage;
  onChange: (token: Token) => void;
}

/** How far the client has come in changing to the successor, and one click to end the old token before its time. */
export const RotationAlert = ({ token, usage, onChange }: RotationAlertProps) => {
  const { api, notify } = useApp();
  const { isBusy, failure, submit } = useSubmit();
  useFocusAfterwards();
  const { rotation } = usage;
  if (!rotation) return null;

  const finish = async () => {
    onChange(await api.revokeToken(token.token_id));
    notify(`The rotation is finished: the old token of ${tokenName(token)} was revoked.`);
  };
  const { type, header } = standingOf(rotation);
  return (
    <>
      <Alert
        type={type}
        header={header}
        action={
          <Button loading={isBusy} onClick={() => submit(finish)}>
            Finish the rotation
          </Button>
        }
      >
        {rotation.used_since && (
          <>
            It was used <Moment time={usage.last_used_at ?? token.last_used_at} />, after its rotation.{" "}
          </>
        )}
        <SuccessorUse usage={usage} rotation={rotation} /> The old token ends <Moment time={token.expires_at} />. To
        finish the rotation is to revoke it now, for good.
      </Alert>
      {failure && <FailureAlert title="The old token was not revoked" failure={failure} />}
    </>
  );
};

const standingOf = ({ used_since, successor_first_used_at }: Rotation): { type: AlertProps.Type; header: string } => {
  if (used_since) return { type: "warning", header: "The old token is still in use" };
  if (successor_first_used_at === null) return { type: "info", header: "The successor is not in use yet" };
  return { type: "success", header: "The client has changed to the successor" };
};

const SuccessorUse = ({ usage, rotation }: { usage: Usage; rotation: Rotation }) => {
  const { successor_first_used_at: time } = rotation;
  if (time !== null) {
    return (
      <>
        The successor was first used <Moment time={time} />.
      </>
    );
  }
  if (usage.log_level !== "info")
    return "This stage does not log calls that go well, so nothing is known of the successor.";
  return "The successor has not been used.";
};
