import { VisibleText } from "./visible-text.tsx";

const invocation = /^invoke:([0-9a-f]{8})/;

/** Who did something. An invocation of the admin function is shown by the first characters of its request id. */
export const Actor = ({ name }: { name: string }) => {
  const [, id] = invocation.exec(name) ?? [];
  return id === undefined ? <VisibleText text={name} /> : <span title={name}>Invocation {id}…</span>;
};
