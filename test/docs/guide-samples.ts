interface GuideSample {
  language: string;
  code: string;
  /** The status of a call that the chapter announces as rejected. */
  refusal: string | undefined;
}

/** Returns the samples in a chapter of the guide. */
export const samplesIn = (chapter: string): GuideSample[] =>
  [...chapter.matchAll(/(?:<!-- answered (\d+) -->\n\n)?^```(\w+)\n(.*?)^```$/gms)].map(
    ([, refusal, language = "", code = ""]) => ({ refusal, language, code }),
  );
