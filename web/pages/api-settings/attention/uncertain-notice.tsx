import { addresses } from "../../../../lambdas/addresses.ts";
import type { Notice } from "../../../api/types.ts";
import { Moment } from "../../../parts/moment.tsx";
import { PageLink } from "../../../parts/page-link.tsx";
import { TokenName } from "../../../tokens/token-name.tsx";

/** A notice that may not have been delivered. It is never sent again, so that nobody gets it twice. */
export const UncertainNotice = ({ notice }: { notice: Notice }) => {
  const { token_id, topic, bus, found_at } = notice;
  const channels = [...(topic === "uncertain" ? ["the topic"] : []), ...(bus === "uncertain" ? ["the event bus"] : [])];
  return (
    <>
      It is not known whether {channels.join(" and ")} got a notice
      {token_id !== null && (
        <>
          {" "}
          about{" "}
          <PageLink href={addresses.token(token_id)}>
            <TokenName token={{ ...notice, token_id }} />
          </PageLink>
        </>
      )}
      : {contents[notice.kind]}.
      <div className="remark">
        Found <Moment time={found_at} />. It will not be sent again.
      </div>
    </>
  );
};

/** What the notices are about. */
const contents: Record<Notice["kind"], string> = {
  token_expires: "it expires soon",
  rotation_unfinished: "its rotation is unfinished",
  token_unused: "it is unused",
  invitation_unused: "its invitation has not been redeemed",
  confirmation_waiting: "a client waits for a confirmation",
  token_leaked: "its correct secret came from a wrong address",
  delivery_uncertain: "other notices may not have been delivered",
};
