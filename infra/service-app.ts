import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { App, PERMISSIONS_BOUNDARY_CONTEXT_KEY } from "aws-cdk-lib";
import { CURRENTLY_RECOMMENDED_FLAGS } from "aws-cdk-lib/cx-api";
import { checkFiles } from "../lambdas/declaration/check-files.ts";
import type { Service } from "../lambdas/declaration/service.ts";
import { releasedAssembly, serviceFolder } from "../lambdas/shared/project-folder.ts";
import { bundleFolderOf, exampleClientFile, ignoreFile } from "./bundles/assembly-files.ts";
import { addCodeCaches } from "./bundles/code-caches.ts";
import { addRulePacks } from "./constructs/rule-packs.ts";
import { type BundledFunction, functionsOf, guardName } from "./functions.ts";
import { type ServiceApp, type StoresOf, serviceParts } from "./service-parts.ts";
import { DataStack } from "./stacks/data-stack.ts";
import { IntegrationApiStack } from "./stacks/integration-api-stack.ts";
import { readLocalSettings } from "./stages/local-settings.ts";
import { OptionError } from "./stages/option-error.ts";
import { type Options, readOptions } from "./stages/options.ts";
import { optionsFileOf, readOptionsFile } from "./stages/options-file.ts";
import { examplesOf, problemsOf } from "./stages/settings.ts";

/**
 * The flags that the CDK recommends for new apps, with one exception. They are set here because an app that runs without the CDK's
 * command line does not read cdk.json.
 */
const featureFlags = {
  ...CURRENTLY_RECOMMENDED_FLAGS,
  // Prevents an export that is in use from being removed, whatever happens to the code of the data stack.
  "@aws-cdk/core:defaultCrossStackReferences": "strong",
};

export type { ConnectedFunction, ServiceApp } from "./service-parts.ts";

/** Creates an app without stacks, which writes its cloud assembly to the given folder. */
export const createApp = (outdir: string): App => new App({ outdir, postCliContext: featureFlags });

/** Adds the service's two stacks to an app: one holds the data, and the other can be deleted without data loss. */
export const addStacks = (
  app: App,
  {
    service,
    functions,
    options,
    streams = [],
  }: { service: Service; functions: BundledFunction[]; options: Options; streams?: readonly string[] },
): { data: DataStack; api: IntegrationApiStack } => {
  const { name } = options.stage;
  const { tags, permissionsBoundary } = options;
  // Must be set before the stacks are added, because each role looks it up when the role is created.
  if (permissionsBoundary !== undefined)
    app.node.setContext(PERMISSIONS_BOUNDARY_CONTEXT_KEY, boundary(permissionsBoundary));
  const guard = functions.find((one) => one.name === guardName);
  if (!guard) throw new Error("The function that guards options is missing.");
  const data = new DataStack(app, "IntegrationApiData", {
    stackName: `${service.name}-${name}-data`,
    description: `The data of the ${service.title} (${name}).`,
    ...(tags && { tags }),
    service,
    options,
    guardFolder: guard.bundleFolder,
    streams,
  });
  const api = new IntegrationApiStack(app, "IntegrationApi", {
    stackName: `${service.name}-${name}`,
    // The base URL of a deleted stack cannot be restored. If the first deployment fails, this must be turned off before a retry.
    // See docs/deploy.md.
    terminationProtection: options.stage.keepsData,
    description: `A REST API that lets other systems integrate with a service (${name}).`,
    ...(tags && { tags }),
    service,
    functions,
    data,
    options,
  });
  return { data, api };
};

/** Returns a permissions boundary in the form that the CDK's context expects. */
const boundary = (policy: string) => (policy.startsWith("arn:") ? { arn: policy } : { name: policy });

/** What an application decides about the constructs that it adds. */
interface AdditionOptions<Stream> {
  /** The stores whose tables get a stream, with new and old images. */
  streams?: readonly Stream[];
  /** Whether cdk-nag also checks these constructs. */
  checksAdditions?: boolean;
  /**
   * What a local run leaves out, because only AWS has it: types of resources, paths of constructs, or logical ids.
   *
   * @example ["AWS::SQS::Queue", "IntegrationApi/NightlyExport"]
   */
  leaveOutLocally?: readonly string[];
}

/**
 * Makes the CDK app that deploys an API in one stage, with the options from the CDK's context and from the stage's file. Returns the
 * app's parts, which an application can connect its own constructs to: see docs/applications.md.
 *
 * The app writes the cloud assembly to `CDK_OUTDIR`, which the CDK's command line sets, or to `cdk.out`. These variables change the
 * app:
 * - `DEFER_ENDPOINTS=true`, set by the local run, leaves out the code of endpoints.
 * - `CODE_CACHES=false`, set by the local run and most tests, leaves out the code caches, which are made for Lambda.
 * - `KEEP_NAMES=true`, set when a release is recorded, does not shorten names in the code.
 * - `IGNORE_OPTIONS_FILE=true`, set by every synthesis without the CDK's command line, ignores the stage's file. Settings then have
 *   their examples as values.
 * - `LOCAL_SETTINGS_FILE`, set by the local run, names the file whose settings replace these examples.
 *
 * An unknown or invalid option ends the program with a sentence, even if the option is only read when the app is synthesised.
 */
export const serviceApp = async <S extends Service, Stream extends StoresOf<S> = never>(
  service: S,
  { streams = [], checksAdditions = false, leaveOutLocally = [] }: AdditionOptions<Stream> = {},
): Promise<ServiceApp<S, Stream>> => {
  process.once("uncaughtException", endWithMessage);
  // Without a folder, the CDK would leave a temporary one behind.
  const app = createApp(process.env.CDK_OUTDIR ?? "cdk.out");
  const isDeployment = process.env.IGNORE_OPTIONS_FILE !== "true";
  const readFile = (stage: string) => (isDeployment ? readOptionsFile(serviceFolder, stage) : {});
  const given = readOptions(app.node.getAllContext(), Object.keys(service.tables), readFile);
  const options = withSettings(service, given, isDeployment ? {} : localSettings(service));
  const functions = await (releasedAssembly === undefined
    ? bundledFunctions(service, app.outdir, options)
    : releasedFunctions(service, releasedAssembly, options));
  await mkdir(app.outdir, { recursive: true });
  await writeFile(join(app.outdir, ignoreFile), JSON.stringify({ ignore: leaveOutLocally }));
  const { exampleClient } = service;
  if (exampleClient !== undefined) await writeFile(join(app.outdir, exampleClientFile), JSON.stringify(exampleClient));
  if (process.env.CODE_CACHES !== "false") await addCodeCaches(functions, options.stage.architecture);
  const stacks = addStacks(app, { service, functions, options, streams });
  await addRulePacks(app, { checksAdditions });
  return serviceParts(app, { service, stage: options.stage.name, stacks });
};

const endWithMessage = (error: Error): void => {
  process.stderr.write(`${error instanceof OptionError ? error.message : inspect(error)}\n`);
  process.exit(1);
};

const localSettings = (service: Service) => {
  const file = process.env.LOCAL_SETTINGS_FILE;
  return file ? readLocalSettings(service, file) : examplesOf(service.settings);
};

const withSettings = ({ settings }: Service, options: Options, usual: Options["settings"]): Options => {
  const problems = problemsOf("setting", settings, options.settings ?? {});
  if (problems.length === 0) return { ...options, settings: { ...usual, ...options.settings } };
  const file = optionsFileOf(options.stage.name);
  throw new OptionError([`Correct the settings in ${file}:`, ...problems].join("\n"));
};

const bundledFunctions = async (service: Service, folder: string, { trimSdk }: Options): Promise<BundledFunction[]> => {
  checkFiles(service);
  // Loads esbuild, which release archives do not include.
  const { bundleFunctions } = await import("./bundles/bundle-functions.ts");
  const defersEndpoints = process.env.DEFER_ENDPOINTS === "true";
  const keepsNames = process.env.KEEP_NAMES === "true";
  return bundleFunctions(functionsOf(service), { folder, trimSdk, defersEndpoints, keepsNames });
};

const releasedFunctions = (service: Service, assembly: string, { trimSdk }: Options): BundledFunction[] => {
  if (!trimSdk)
    throw new OptionError("The option trimSdk=false needs the sources: deploy from a checkout of the release.");
  return functionsOf(service).map((one) => ({ ...one, bundleFolder: bundleFolderOf(assembly, one.name) }));
};
