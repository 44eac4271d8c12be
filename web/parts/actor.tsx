const invocation = /^invoke:([0-9a-f]{8})/;

/** Who did something. An invocation of the admin function is named by its request id, of which the beginning says enough. */
export const Actor = ({ name }: { name: string }) => {
  const [, id] = invocation.exec(name) ?? [];
  return id === undefined ? name : <span title={name}>Invocation {id}…</span>;
};
