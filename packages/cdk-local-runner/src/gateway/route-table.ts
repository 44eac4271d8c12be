/** A route's pattern. */
interface Pattern<Target> {
  method: string;
  segments: string[];
  /** Matches the paths of the route, with a group for each parameter. */
  matches: RegExp;
  parameters: string[];
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
    for (const { matches, parameters, target, ...pattern } of patterns) {
      const isForMethod = pattern.method === method || pattern.method === "ANY";
      const found = isForMethod ? matches.exec(path) : null;
      if (found === null) continue;
      const values = Object.fromEntries(parameters.map((name, index) => [name, found[index + 1] ?? ""]));
      return { target, pathParameters: parameters.length > 0 ? values : undefined };
    }
    return fallback && { target: fallback, pathParameters: undefined };
  };
};

const patternOf = <Target extends { routeKey: string }>(target: Target): Pattern<Target> => {
  const [method = "", path = ""] = target.routeKey.split(" ");
  const segments = path.split("/");
  const parameters = segments.filter(isVariable).map((segment) => segment.replaceAll(/[{+}]/g, ""));
  return { method, segments, matches: new RegExp(`^${segments.map(sourceOf).join("/")}$`, "s"), parameters, target };
};

const sourceOf = (segment: string): string => {
  if (isGreedy(segment)) return "(.+)";
  return isVariable(segment) ? "([^/]+)" : RegExp.escape(segment);
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
