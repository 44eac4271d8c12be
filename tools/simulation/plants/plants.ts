import type { Plant } from "../run-schedule.ts";

/** Bugs that the simulation must find, by name. */
export const plants: Readonly<Record<string, Plant>> = {};
