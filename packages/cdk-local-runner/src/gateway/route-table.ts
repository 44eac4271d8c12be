/** A route's pattern, split into its segments. */
interface Pattern<Target> {
  method: string;
  segments: string[];
  target: Target;
}

interface RouteMatch<Target> {
  target: Target;
  pathParameters: Record<string, string> | undefined;
}

/** Finds the route of a request. `path` is already decoded, because API Gateway decodes before routing. */
type FindRoute<Target> = (method: string, path: string) => RouteMatch<Target> | undefined;

/**
 * Creates a lookup with API Gateway's precedence. Documented: a route for the whole path wins over one with `{proxy+}`, which wins
 * over `$default`, and a literal segment wins over `{parameter}`. Observed: a specific method wins over `ANY` before segments are
 * compared, and segments are compared from left to right.
 *
 * @example createRouteTable([{ routeKey: "GET /keys/{id}", name: "read" }])("GET", "/keys/7")?.pathParameters // { id: "7" }
 */
export const createRouteTable = <Target extends { routeKey: string }>(routes: Target[]): FindRoute<Target> => {
  const fallback = routes.find(({ routeKey }) => routeKey === "$default");
  const patterns = routes
    .filter((route) => route !== fallback)
    .map(patternOf)
    .toSorted(bySpecificity);

  return (method, path) => {
    const segments = segmentsOf(path);
    for (const pattern of patterns) {
      if (pattern.method !== method && pattern.method !== "ANY") continue;
      const parameters = matchSegments(pattern.segments, segments);
      if (parameters === undefined) continue;
      const hasParameters = Object.keys(parameters).length > 0;
      return { target: pattern.target, pathParameters: hasParameters ? parameters : undefined };
    }
    return fallback && { target: fallback, pathParameters: undefined };
  };
};

const segmentsOf = (path: string): string[] => path.split("/").slice(1);

const patternOf = <Target extends { routeKey: string }>(target: Target): Pattern<Target> => {
  const [method = "", path = ""] = target.routeKey.split(" ");
  return { method, segments: segmentsOf(path), target };
};

const rankOf = (segment: string | undefined): number => {
  if (segment === undefined) return 3;
  if (isGreedy(segment)) return 2;
  return isVariable(segment) ? 1 : 0;
};

const bySpecificity = (left: Pattern<unknown>, right: Pattern<unknown>): number => {
  const [isLeftGreedy, isRightGreedy] = [left, right].map(({ segments }) => isGreedy(segments.at(-1) ?? ""));
  if (isLeftGreedy !== isRightGreedy) return isLeftGreedy ? 1 : -1;
  if ((left.method === "ANY") !== (right.method === "ANY")) return left.method === "ANY" ? 1 : -1;
  for (let index = 0; index < Math.max(left.segments.length, right.segments.length); index += 1) {
    const difference = rankOf(left.segments[index]) - rankOf(right.segments[index]);
    if (difference !== 0) return difference;
  }
  return 0;
};

const isVariable = (segment: string): boolean => segment.startsWith("{") && segment.endsWith("}");
const isGreedy = (segment: string): boolean => segment.endsWith("+}");

const matchSegments = (pattern: string[], path: string[]): Record<string, string> | undefined => {
  const parameters: Record<string, string> = {};
  for (const [index, segment] of pattern.entries()) {
    const actual = path[index];
    if (actual === undefined) return undefined;
    if (isGreedy(segment)) {
      const rest = path.slice(index).join("/");
      if (rest === "") return undefined;
      parameters[segment.slice(1, -2)] = rest;
      return parameters;
    }
    if (isVariable(segment)) {
      if (actual === "") return undefined;
      parameters[segment.slice(1, -1)] = actual;
    } else if (segment !== actual) {
      return undefined;
    }
  }
  return pattern.length === path.length ? parameters : undefined;
};
