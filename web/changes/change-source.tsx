import type { PastChange } from "../api/types.ts";
import { Address } from "../parts/address.tsx";

/** Where a change came from: the address, if it was not an invocation, and the request in which it was made. */
export const ChangeSource = ({ change: { from, request_id } }: { change: PastChange }) => {
  if (from === null && request_id === null) return null;
  return (
    <div className="remark breakable">
      {from !== null && (
        <>
          From <Address ip={from} />
        </>
      )}
      {request_id !== null && (
        <>
          {from === null ? "Request id " : ", request id "}
          <code className="address">{request_id}</code>
        </>
      )}
    </div>
  );
};
