import type { Sent } from "./sent.ts";

// A terminal would act on some of these characters, and others would make different texts look alike.
const invisible = /[^\P{C}\n]/gu;

/** What the terminal shows of something that was sent. */
export const describeSent = (sent: Sent): string =>
  textOf(sent).replace(invisible, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

const textOf = (sent: Sent): string => {
  const by = sent.function_name === null ? "" : ` by ${sent.function_name}`;
  if (sent.service === "events") {
    const detail = JSON.stringify(sent.detail);
    return `Sent${by} to the event bus ${sent.bus}: ${sent.detail_type} (${sent.source}) ${detail}\n`;
  }
  const topic = sent.topic_arn.split(":").at(-1);
  const readers = sent.subscribers.length === 0 ? "no subscribers" : sent.subscribers.join(", ");
  const text = [
    ...(sent.subject === null ? [] : [`Subject: ${sent.subject}`, ""]),
    ...sent.message.trimEnd().split("\n"),
  ];
  return [`Sent${by} to the topic ${topic} (${readers}):`, ...text.map((line) => `  | ${line}`.trimEnd()), ""].join(
    "\n",
  );
};
