import { VisibleText } from "../../parts/values.tsx";

/** A key in a sentence. */
export const KeyName = ({ keyId }: { keyId: string }) => (
  <strong className="breakable">
    <VisibleText text={keyId} />
  </strong>
);
