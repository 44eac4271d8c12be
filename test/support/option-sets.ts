import { vi } from "vitest";
import { stageNames } from "../../infra/stages/stage.ts";
import { everyOption, everyTableRestored, keysRestored, makeOnce, type OptionSet } from "./stages.ts";

const { stage, certificateArn, domainName, ...others } = everyOption;

/** Each option that changes templates, alone, with a value that differs from the default of production. */
export const singleOptions: Readonly<Record<string, OptionSet>> = {
  domainName: { stage, domainName, certificateArn },
  keysTable: { stage, keysTable: keysRestored.keysTable },
  ...Object.fromEntries(
    Object.entries({ ...others, shiftTraffic: "false", useCodeDeploy: "false", logLevel: "warn" }).map(
      ([name, value]) => [name, { stage, [name]: value }],
    ),
  ),
};

/** The stages without options, production with each option alone, with all of them, and with restored tables. */
export const optionSets: OptionSet[] = [
  ...stageNames.map((name) => ({ stage: name })),
  ...Object.values(singleOptions),
  everyOption,
  keysRestored,
  everyTableRestored,
];

export const describeOptions = (options: OptionSet): string =>
  Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");

/**
 * Synthesises the stacks with these options in this process, with the code of the shared assembly, and returns the folder. That
 * takes a fraction of a whole synthesis, and all tests share the result.
 */
export const synthesiseTemplates = (options: OptionSet): Promise<string> =>
  makeOnce(`templates ${JSON.stringify(options)}`, async (folder) => {
    vi.stubEnv("CDK_VALIDATION", "false");
    // Loading the CDK takes longer than reading templates that are there already.
    const { synthesiseStacks } = await import("./synthesise-stacks.ts");
    return synthesiseStacks(options, folder);
  });
