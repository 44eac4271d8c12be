import type { Token } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";

/** The address that a token is bound to, if there is one yet. */
export const BoundAddress = ({ token: { ip } }: { token: Pick<Token, "ip"> }) =>
  ip === null ? <span className="remark">Not known yet</span> : <Address ip={ip} />;
