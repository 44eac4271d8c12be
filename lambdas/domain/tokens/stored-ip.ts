import { textThat } from "../../shared/validation/fields.ts";
import { canonicalIp } from "./ip-address.ts";

/** An IP address in its canonical form (RFC 5952), as records store it. */
export const storedIp = textThat((text) => canonicalIp(text) === text, "must be a canonical IP address.");
