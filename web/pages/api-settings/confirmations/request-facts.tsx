import type { ConfirmationRequest } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";
import "./confirmations.css";

/** What the admin and the client's operator compare. */
export const RequestFacts = ({ request: { ip, code } }: { request: ConfirmationRequest }) => (
  <dl className="request-facts">
    <div>
      <dt>Address</dt>
      <dd>
        <Address ip={ip} />
      </dd>
    </div>
    <div>
      <dt>Code</dt>
      <dd>
        <code className="request-code">{code}</code>
      </dd>
    </div>
  </dl>
);
