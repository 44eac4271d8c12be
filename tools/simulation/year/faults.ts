import type { Random } from "../world/random.ts";
import type { Faults } from "./cloud.ts";
import type { ChannelFault } from "./receivers.ts";

const channelFaults: readonly ChannelFault[] = [
  "refused",
  "partly refused",
  "no connection",
  "lost",
  "lost on the way",
];

/** Something that goes wrong: in a channel or in both, at a request to the database, or with the function itself. */
export const faultsOf = (random: Random, requests: number): Faults => {
  // Some requests look for something, and only the last ones send it.
  const request = 1 + random.below(random.pick([requests, 3 * requests]));
  const [topic, bus] = [random.pick(channelFaults), random.pick(channelFaults)];
  return random.pick<Faults>([
    { topic },
    { bus },
    { topic, bus },
    { databaseGoneAt: request },
    { crashAt: { request, isDone: true } },
    { crashAt: { request, isDone: false } },
  ]);
};

/** Whether everything is found in spite of these faults. */
export const isOnlyOfChannels = ({ crashAt, databaseGoneAt }: Faults): boolean =>
  crashAt === undefined && databaseGoneAt === undefined;
