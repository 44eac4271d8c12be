import Alert, { type AlertProps } from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import { useMutation } from "@tanstack/react-query";
import type { Rotation, Token, Usage } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.ts";
import { FailureAlert } from "../../../parts/failure-alert.tsx";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { Moment } from "../../../parts/moment.tsx";
import { tokenName } from "../token/token-name.tsx";
import { useTokenCache } from "../token/token-queries.ts";

interface RotationAlertProps {
  token: Token;
  usage: Usage;
  rotation: Rotation;
}

/** Shows whether the client has changed to the successor, and offers to revoke the old token before it ends. */
export const RotationAlert = ({ token, usage, rotation }: RotationAlertProps) => {
  const { api, notify } = useApp();
  const { update } = useTokenCache();
  const finish = useMutation({
    mutationFn: () => api("revoke", { token_id: token.token_id }),
    onSuccess: (revoked) => {
      update(revoked);
      notify(`The rotation is finished: the old token of ${tokenName(token)} was revoked.`);
    },
  });
  useFocusAfterwards();
  const { type, header } = summarise(rotation);
  return (
    <>
      <Alert
        type={type}
        header={header}
        action={
          <Button loading={finish.isPending} onClick={() => finish.mutate()}>
            Finish the rotation
          </Button>
        }
      >
        {rotation.used_since && (
          <>
            It was used <Moment time={usage.last_used_at ?? token.last_used_at} />, after its rotation.{" "}
          </>
        )}
        <SuccessorUsage usage={usage} rotation={rotation} /> The old token ends <Moment time={token.expires_at} />.
        Finishing the rotation revokes it now, for good.
      </Alert>
      {finish.error && <FailureAlert title="The old token was not revoked" failure={finish.error} />}
    </>
  );
};

const summarise = ({ used_since, successor_first_used_at }: Rotation): { type: AlertProps.Type; header: string } => {
  if (used_since) return { type: "warning", header: "The old token is still in use" };
  if (successor_first_used_at === null) return { type: "info", header: "The successor is not in use yet" };
  return { type: "success", header: "The client has changed to the successor" };
};

const SuccessorUsage = ({ usage, rotation: { successor_first_used_at: time } }: Omit<RotationAlertProps, "token">) => {
  if (time !== null) {
    return (
      <>
        The successor was first used <Moment time={time} />.
      </>
    );
  }
  return usage.log_level === "info"
    ? "The successor has not been used."
    : "This stage does not log successful calls, so it is unknown whether the successor has been used.";
};
