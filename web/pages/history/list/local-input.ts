/** The value of a field for date and time, in the time zone of this browser: "2026-11-21T19:30", with seconds unless they are 0. */
export const toField = (time: string | undefined): string => {
  if (time === undefined) return "";
  // Swedish writes dates as the field does.
  const [date, clock = ""] = new Date(time).toLocaleString("sv").split(" ");
  return `${date}T${clock.replace(/:00$/, "")}`;
};

/** The time that was entered; `undefined` for an empty field. */
export const fromField = (text: string): string | undefined => {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
};
