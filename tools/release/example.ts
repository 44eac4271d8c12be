import { cp, mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type LocalService, startLocalService } from "cdk-local-runner";
import { localAwsEnvironment, startEmbeddedDatabase } from "cdk-local-runner/parts";
import * as z from "zod/mini";
import { packageFolder } from "../../lambdas/shared/project-folder.ts";
import { readTemplates, synthesise } from "../../local/synthesise.ts";
import { applicationPackages, installPackages, packPackages } from "../support/packages.ts";
import { losses, readDataStack, readSharedOutputs } from "./data-stacks.ts";
import { filesOf, type Release, unpackRelease } from "./release-folder.ts";

/*
 * The upgrade of an application that depends on the package. The application is examples/shipments as it was when the last release was
 * recorded: its files, and the assembly that the package of that time made of them.
 */

const [sources, assembly] = ["sources", "assembly"];

/** Synthesises an application that has the built package installed. */
const synthesiseApplication = (folder: string): Promise<string> => synthesise(folder, { folder });

/** Returns the example, and the assembly that this version of the package makes of it. */
export const recordExample = async (folder: string): Promise<Release["files"]> => {
  await cp(join(packageFolder, "examples/shipments"), join(folder, sources), { recursive: true });
  await cp(join(folder, sources), join(folder, "application"), { recursive: true });
  await packPackages(applicationPackages, join(folder, "application/packages"));
  await installPackages(join(folder, "application"));
  await cp(await synthesiseApplication(join(folder, "application")), join(folder, assembly), { recursive: true });
  await rm(join(folder, "application"), { recursive: true });
  return filesOf("example", folder);
};

/**
 * Upgrades the example from the recorded version of the package to this one without any edit, and goes back. Checks that no
 * resource is missing, neither of the package nor of the example's own, that none that holds data is replaced, that the data stack
 * keeps what the earlier API stack imports, and that both versions work on one database at the same time.
 *
 * @param packages a folder in which this version of the package is installed
 */
export const upgradeExample = async (directory: string, packages: string): Promise<string[]> => {
  const release = join(directory, "example");
  await unpackRelease("example", release);
  const present = join(directory, "application");
  await cp(join(release, sources), present, { recursive: true });
  await symlink(join(packages, "node_modules"), join(present, "node_modules"));
  const assemblies = [join(release, assembly), await synthesiseApplication(present)] as const;
  const [released, now] = [await readDataStack(assemblies[0]), await readDataStack(assemblies[1])];
  const problems = [
    ...(await missingResources(...assemblies)),
    ...(await missingExports(...assemblies)),
    ...losses(released, now),
  ];
  return problems.length > 0 ? problems : exchangeShipments(assemblies, directory);
};

const template = z.object({ Resources: z.record(z.string(), z.object({ Type: z.string() })) });

/** The ids of these resources contain a hash of their content, or of what they permit. */
const isUnnamed = (type: string, id: string): boolean =>
  /^AWS::Lambda::(Version|Permission)$/.test(type) || (type === "AWS::IAM::Policy" && /[0-9a-f]{16}$/.test(id));

/** Returns the types and logical ids of an assembly's resources. */
const resourcesIn = async (directory: string): Promise<string[]> => {
  const texts = await readTemplates(directory);
  return texts.flatMap((text) =>
    Object.entries(template.parse(JSON.parse(text)).Resources)
      .filter(([id, { Type }]) => !isUnnamed(Type, id))
      .map(([id, { Type }]) => `${Type} ${id}`),
  );
};

const missingResources = async (released: string, present: string): Promise<string[]> => {
  const still = new Set(await resourcesIn(present));
  return (await resourcesIn(released)).filter((one) => !still.has(one)).map((one) => `${one} is missing.`);
};

/**
 * Returns the exports that the released API stack imports and the present data stack lacks. An upgrade deploys the data stack
 * first, and a rollback does not deploy it.
 */
const missingExports = async (released: string, present: string): Promise<string[]> => {
  const shared = Object.values(await readSharedOutputs(present)).map(({ exportName }) => exportName);
  const imports = (await readTemplates(released)).flatMap((text) =>
    Array.from(text.matchAll(/"Fn::ImportValue": "([^"]+)"/g), ([, name = ""]) => name),
  );
  if (imports.length === 0) throw new Error("The released API stack imports nothing from its data stack.");
  return [...new Set(imports)].filter((name) => !shared.includes(name)).map((name) => `The export ${name} is missing.`);
};

/** A shipment as the example's endpoint takes it. */
export const exampleShipment = {
  recipient: { name: "Ada", street: "Am Sandtorkai 1", postal_code: "20457", city: "Hamburg", country: "DE" },
  lines: [{ sku: "LAMP-7", quantity: 2, unit_price: "49.90" }],
  weight_kg: "7.250",
  deliver_on: null,
  note: "Ring twice.",
};

/** Lets both versions create shipments in turn, and checks that each reads the other's shipments. */
const exchangeShipments = async (assemblies: readonly string[], directory: string): Promise<string[]> => {
  const environment = localAwsEnvironment();
  const onFailure = (failure: Error) => {
    throw failure;
  };
  const dataDirectory = join(directory, "shipments");
  await mkdir(dataDirectory, { recursive: true });
  const database = await startEmbeddedDatabase({ environment, onFailure, port: 0, dataDirectory });
  const services: LocalService[] = [];
  try {
    for (const [index, assembly] of assemblies.entries()) {
      const externalDatabase = { endpoint: database.url, region: environment.region };
      const options = { port: 0, dataDirectory: join(directory, `run ${index}`), externalDatabase, log: () => {} };
      services.push(await startLocalService({ ...options, assembly }));
    }
    const issued = await services.at(-1)?.invoke("admin", { action: "issue", ip: "127.0.0.1", client: "staff" });
    const { token } = z.object({ token: z.string() }).parse(JSON.parse(issued?.payload ?? ""));
    const problems: string[] = [];
    const call = async (service: LocalService, method: string, path: string, json?: object) => {
      const headers = { accept: "application/json", "x-token": token, "content-type": "application/json" };
      const init = json ? { method, headers, body: JSON.stringify(json) } : { method, headers };
      const response = await fetch(`${service.baseUrl}/api/v1${path}`, init);
      if (!response.ok) problems.push(`${method} ${path}: ${response.status} ${await response.text()}`);
    };
    // The release, this version, and the release again.
    const turns = [...services, ...services.slice(0, 1)];
    for (const [turn, service] of turns.entries()) {
      const shipment = { ...exampleShipment, shipment_id: `S-${turn}`, customer_id: `c-${turn}` };
      await call(service, "PUT", `/customer/c-${turn}`, { name: "Ada", email: null });
      await call(service, "POST", "/shipment", shipment);
      for (const other of services) await call(other, "GET", `/shipment/S-${turn}`);
      // A retry reaches another version than the first attempt.
      for (const other of services) await call(other, "POST", "/shipment", shipment);
    }
    return problems;
  } finally {
    for (const service of services) await service.close();
    await database.close();
  }
};
