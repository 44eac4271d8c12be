import { httpEvent } from "../../support/http-event.ts";
import type { LoadedFunctions } from "../../support/loaded-functions.ts";
import type { Case, HttpCase } from "./case.ts";
import type { Fixtures } from "./fixtures.ts";

/** The outcome of a case. */
export interface Sent {
  functionName: string;
  event: Record<string, unknown>;
  outcome: { answer: unknown } | { error: unknown };
  log: string;
  cpuMilliseconds: number;
}

/** Sends a case to its function. */
export const send = async (one: Case, functions: LoadedFunctions, fixtures: Fixtures): Promise<Sent> => {
  const filled: Case = JSON.parse(fixtures.fill(JSON.stringify(one)));
  const { functionName, event } =
    filled.kind === "http" ? tamperedEvent(filled, functions) : { functionName: "admin", event: filled.payload };
  const before = process.cpuUsage();
  const { outcome, log } = await functions.invoke(functionName, event);
  const { user, system } = process.cpuUsage(before);
  const cpuMilliseconds = (user + system) / 1000;
  return { functionName, event: event as Record<string, unknown>, outcome, log, cpuMilliseconds };
};

const tamperedEvent = (one: HttpCase, functions: LoadedFunctions) => {
  const { functionName, event } = httpEvent(one, functions);
  return { functionName, event: { ...event, ...one.tampered } };
};
