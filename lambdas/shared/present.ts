type Present<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> };

/** Returns the fields that have a value: neither `undefined` nor `null`. */
export const present = <Fields extends object>(fields: Fields): Present<Fields> => {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as Present<Fields>;
};
