interface GuideSample {
  language: string;
  /** The language in whose tab the sample is shown. */
  tab: string;
  code: string;
  /** The status of a call that the chapter announces as rejected. */
  refusal: string | undefined;
}

/** Returns the samples in a chapter of the guide. */
export const samplesIn = (chapter: string): GuideSample[] =>
  [...chapter.matchAll(/(?:<!-- answered (\d+) -->\n\n)?^```(\w+)(?: (\w+))?\n(.*?)^```$/gms)].map(
    ([, refusal, language = "", tab = language, code = ""]) => ({ refusal, language, tab, code }),
  );
