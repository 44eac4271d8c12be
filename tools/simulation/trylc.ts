import { exploreStates } from "./life-cycle/states.ts";
for (const scope of [{ tokens: 1, requests: 2 }, { tokens: 2, requests: 1 }, {tokens: 2, requests: 2}]) {
  const t = performance.now();
  const { states, transitions, broken } = exploreStates(scope);
  console.log(scope, states.length, transitions, JSON.stringify(broken), performance.now() - t, process.cpuUsage());
}
