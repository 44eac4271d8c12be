import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Application, localAwsEnvironment, readApplication } from "cdk-local-runner/parts";
import * as z from "zod/mini";

/**
 * When two versions serve: while the stack is updated to the present version or returned to the release, or after an update,
 * when an operator switches functions back by their aliases.
 */
export type Moment = "upgrading" | "going back" | "upgraded";

/** What functions may do, by name. The versions of a function share a role. */
export type DeployedRights = Map<string, Application["functions"][number]["rights"]>;

interface DeployedRightsOptions {
  moment: Moment;
  /** The folders of the cloud assemblies. */
  assemblies: { released: string; present: string };
  /** A folder for the templates of that moment. */
  directory: string;
}

const templateShape = z.looseObject({ Resources: z.record(z.string(), z.looseObject({ Type: z.string() })) });
type Resources = z.output<typeof templateShape>["Resources"];

/** The rights that are deployed: CloudFormation adds and changes policies first, and removes old ones last. */
export const deployedRights = async ({ moment, assemblies, directory }: DeployedRightsOptions) => {
  const { released, present } = assemblies;
  await mkdir(directory, { recursive: true });
  for (const name of await readdir(present)) {
    if (!name.endsWith(".template.json")) {
      await symlink(join(present, name), join(directory, name));
      continue;
    }
    const template = await readTemplate(join(present, name));
    const before = policiesIn((await readTemplate(join(released, name))).Resources);
    const Resources: Record<Moment, Resources> = {
      upgrading: { ...before, ...template.Resources },
      "going back": { ...template.Resources, ...before },
      upgraded: template.Resources,
    };
    await writeFile(join(directory, name), JSON.stringify({ ...template, Resources: Resources[moment] }));
  }
  const places = { environment: localAwsEnvironment(), baseUrl: "http://127.0.0.1", loginUrl: "http://127.0.0.1" };
  const { functions } = await readApplication(directory, places);
  return new Map(functions.map(({ name, rights }) => [name, rights]));
};

const readTemplate = async (file: string) => templateShape.parse(JSON.parse(await readFile(file, "utf8")));

/** The policies, except those on the versions of functions, which only exist in the template of the version itself. */
const policiesIn = (resources: Resources): Resources =>
  Object.fromEntries(
    Object.entries(resources).filter(
      ([, resource]) => resource.Type === "AWS::IAM::Policy" && !JSON.stringify(resource).includes('"lambda:'),
    ),
  );
