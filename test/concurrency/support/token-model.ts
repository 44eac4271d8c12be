import { tokenState } from "../../../lambdas/resources/tokens/token-state.ts";
import type { Rotation, TokenRecord } from "../../../lambdas/resources/tokens/token-store.ts";
import type { Model } from "../../../tools/support/linearizability/linearizability.ts";

type Revocation = { revoked_at: string; revoked_by: string };

/** An operation on a token's record, and its answer. */
export type TokenAction =
  | { kind: "find"; answer: TokenRecord | undefined }
  | { kind: "rotate"; rotation: Rotation; answer: TokenRecord | undefined }
  | { kind: "revoke"; by: Revocation; answer: TokenRecord | undefined }
  | { kind: "use"; usedAt: string };

/** One token of the token store, from the moment it is issued. */
export const tokenModel = (initial: TokenRecord): Model<TokenRecord, TokenAction> => ({
  initial,
  keyOf: (record) => JSON.stringify(Object.entries(record).toSorted()),
  after(record, action) {
    switch (action.kind) {
      case "find":
        return isSame(record, action.answer) ? [record] : [];
      case "rotate": {
        const { rotation, answer } = action;
        const isRotatable = tokenState(record, rotation.rotated_at) === "active" && record.successor_id === undefined;
        return isRotatable ? told({ ...record, ...rotation }, answer) : unless(answer, record);
      }
      case "revoke": {
        const { by, answer } = action;
        const isActive = tokenState(record, by.revoked_at) === "active";
        return isActive ? told({ ...record, ...by }, answer) : unless(answer, record);
      }
      case "use": {
        const { usedAt } = action;
        return [(record.last_used_at ?? "") < usedAt ? { ...record, last_used_at: usedAt } : record];
      }
    }
  },
});

const told = (record: TokenRecord, answer: TokenRecord | undefined) => (isSame(record, answer) ? [record] : []);
const unless = (answer: TokenRecord | undefined, record: TokenRecord) => (answer === undefined ? [record] : []);

const isSame = (record: TokenRecord, other: TokenRecord | undefined): boolean =>
  other !== undefined &&
  JSON.stringify(Object.entries(record).toSorted()) === JSON.stringify(Object.entries(other).toSorted());
