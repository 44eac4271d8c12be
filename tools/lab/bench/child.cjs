// @ts-check
// A new process with one function, like a Lambda execution environment. Plain CommonJS with no module except `node:fs`, because
// anything that this file loaded beforehand would be missing from the measurement.

const { readFileSync, writeSync } = require("node:fs");

/** @type {{ bundle: string, event: string, warmUp: number, calls: number, status: number }} */
const { bundle, event, warmUp, calls, status } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));

// The properties of the context that the functions read.
const context = { awsRequestId: "6d7e1b0c-1f5a-4a8e-9d4c-0a3b2c1d0e9f", getRemainingTimeInMillis: () => 9_000 };

const clock = () => ({ wall: performance.now(), cpu: process.cpuUsage() });

/** @param {ReturnType<typeof clock>} start */
const since = ({ wall, cpu }) => {
  const { user, system } = process.cpuUsage(cpu);
  return { wallMicroseconds: (performance.now() - wall) * 1000, cpuMicroseconds: user + system };
};

const run = async () => {
  const start = clock();
  const { handler } = require(bundle);
  const load = since(start);
  const response = await handler(JSON.parse(event), context);
  const cold = since(start);
  if (response.statusCode !== status) throw new Error(`The response is ${JSON.stringify(response)}.`);

  const repeat = async (/** @type {number} */ times) => {
    for (let call = 0; call < times; call += 1) {
      await handler(JSON.parse(event), context);
      // Each call starts in a new turn of the event loop, as in Lambda.
      await new Promise(setImmediate);
    }
  };
  await repeat(warmUp);
  const warmStart = clock();
  await repeat(calls);
  const warm = since(warmStart);
  return { response, load, cold, warm, peakMegabytes: process.resourceUsage().maxRSS / 1024 };
};

run().then((result) => {
  writeSync(1, `\n${JSON.stringify(result)}`);
  // A kept-alive connection would keep the process running.
  process.exit(0);
});
