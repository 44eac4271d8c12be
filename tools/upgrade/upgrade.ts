import { join } from "node:path";
import { type LocalService, startLocalService } from "cdk-local-runner";
import { localAwsEnvironment, startEmbeddedDatabase } from "cdk-local-runner/parts";
import { api } from "../../lambdas/api.ts";
import type { Outcome, Trial } from "../lab/experiment.ts";
import { type Description, descriptionOf } from "../support/contract/description.ts";
import { targetOf } from "../support/traffic/caller.ts";
import { createTraffic, stretchUntil } from "../support/traffic/traffic.ts";
import { handOver } from "./hand-over.ts";
import { plantBug } from "./plants.ts";
import { compareReadings, type Version } from "./readings.ts";
import { releasedDescription, releasedVersion, unpackAssembly } from "./release-folder.ts";

/** The share of the calls that goes to the present version in each stage. */
const upgradeAndBack = {
  "the release alone": 0,
  "a tenth to the present version": 0.1,
  "rolled back": 0,
  "half and half": 0.5,
  "the present version alone": 1,
  "switched back": 0,
};

const smokeStages = { "a tenth to the present version": 0.1, "the present version alone": 1, "switched back": 0 };
const smokeCalls = 50;

/** The smoke form proves little with fewer than these. */
const leastFigures = {
  "calls to the released version": 50,
  "calls to the present version": 50,
  "operations on keys": 25,
  "verdicts and changes of tokens": 25,
};

/** Upgrades from the last release to this version and rolls back, on one database, while clients use both. */
export const tryUpgrade = async (trial: Trial): Promise<Outcome> => {
  const { directory, seconds, isSmoke, plant, say } = trial;
  const assemblyDirectory = await trial.assembly();
  const releasedDirectory = await unpackAssembly(join(directory, "released"));
  const environment = localAwsEnvironment();
  const onFailure = (failure: Error) => {
    throw failure;
  };
  const dataDirectory = join(directory, "data");
  const database = await startEmbeddedDatabase({ dataDirectory, port: 0, environment, onFailure });
  const services: LocalService[] = [];
  const start = async (name: Version["name"], assembly: string, description: Description): Promise<Version> => {
    const externalDatabase = { endpoint: database.url, region: environment.region };
    const options = { port: 0, dataDirectory: join(directory, `data of ${name}`), externalDatabase, log: () => {} };
    const service = await startLocalService({ ...options, assembly });
    services.unshift(service);
    const [port = 0, invokePort = 0] = [service.baseUrl, service.invokeUrl].map((url) => Number(new URL(url).port));
    return { name, target: targetOf({ port, invokePort, description }) };
  };
  try {
    // The older version comes first, as it does on AWS: the newer one finds its tables.
    const released = await start("released", releasedDirectory, await releasedDescription());
    const present = await start("present", assemblyDirectory, descriptionOf(api));
    const [service] = services;
    if (plant && service) await plantBug(service, plant, { assemblyDirectory, directory: join(directory, "planted") });
    if (!isSmoke) {
      say(`Release ${await releasedVersion()} and this version, ${seconds} s altogether:`);
      const secondsPerStage = seconds / Object.keys(upgradeAndBack).length;
      return await rehearse({ released, present, stages: upgradeAndBack, secondsPerStage, onStage: say });
    }
    // The hand-overs between the versions find a planted bug without traffic.
    if (plant) return await rehearse({ released, present, stages: { "half and half": 0.5 } });
    const result = await rehearse({ released, present, stages: smokeStages, callsPerStage: smokeCalls });
    const missing = Object.entries(leastFigures).filter(([name, least]) => (result.figures[name] ?? 0) < least);
    return { ...result, problems: [...result.problems, ...missing.map(([name]) => `Too few ${name}.`)] };
  } finally {
    for (const service of services) await service.close();
    await database.close();
  }
};

interface RehearsalOptions {
  released: Version;
  present: Version;
  stages: Readonly<Record<string, number>>;
  /** How long traffic flows in each stage, or how many calls. After each of long stages, everything is compared. */
  secondsPerStage?: number;
  callsPerStage?: number;
  onStage?: (what: string) => void;
}

/**
 * Sends traffic to both versions, stage by stage. After each stage or the last one, each version continues with the records
 * that the other one has just written, and both read everything. At the end, the histories of all keys and tokens are checked.
 * Stops after a stage with problems.
 */
const rehearse = async (options: RehearsalOptions) => {
  const { released, present, stages, secondsPerStage = 0, callsPerStage = 0, onStage = () => {} } = options;
  const versions = [released, present];
  let share = 0;
  const chooseTarget = () => (Math.random() < share ? present : released).target;
  const traffic = createTraffic({ chooseTarget, clients: 8, pauseMs: 20, adminPauseMs: 60 });
  const { differences: problems, caller, stock, pool, keys, events } = traffic;

  for (const [index, [what, next]] of Object.entries(stages).entries()) {
    onStage(what);
    share = next;
    const endsAt = Date.now() + secondsPerStage * 1000;
    const enoughCalls = caller.answeredCalls() + callsPerStage;
    await traffic.send(stretchUntil(() => Date.now() >= endsAt && caller.answeredCalls() >= enoughCalls));
    if (secondsPerStage === 0 && index < Object.keys(stages).length - 1) continue;
    const own = await stock.ownToken();
    // On a busy machine, a call may fail. An incompatibility fails again.
    if ((await handOver(released, present, own)).length > 0) problems.push(...(await handOver(released, present, own)));
    for (const { target } of versions) await stock.take(own, target);
    const tokenIds = pool.all().map(({ id }) => id);
    if (problems.length === 0) problems.push(...(await compareReadings(versions, { keyIds: keys.names(), tokenIds })));
    if (problems.length > 0) break;
  }
  problems.push(...traffic.impossibleHistories(), ...traffic.limits.differences());

  const figures: Record<string, number> = {
    "calls to the released version": released.target.calls,
    "calls to the present version": present.target.calls,
    "operations on keys": keys.size().operations,
    "verdicts and changes of tokens": events.size().operations,
    "calls that failed": caller.failures(),
    keys: keys.size().objects,
    tokens: pool.size(),
  };
  return { problems, figures };
};
