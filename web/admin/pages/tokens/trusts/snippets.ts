import guide from "../../../../../docs/guide/workloads.md?raw";
import type { Trust } from "../../../api/types.ts";

/** What makes a workload use its trust: the code of the guide, with the values of the trust. */
interface Snippet {
  /** What to do with the code. */
  advice: string;
  /** The name of the file, or what the code is. */
  label: string;
  code: string;
}

type Replacements = readonly (readonly [example: string, value: string])[];

interface SnippetKind extends Pick<Snippet, "label"> {
  /** The heading in the guide. */
  platform: string;
  /** Matches the issuer, a space and the subject. */
  identity: RegExp;
  advice: (...groups: string[]) => string;
  /** The values that replace those of the guide's example. */
  replace: (...groups: string[]) => Replacements;
}

const kinds: readonly SnippetKind[] = [
  {
    platform: "GitHub Actions",
    identity:
      /^https:\/\/token\.actions\.githubusercontent\.com repo:([^:]+):(environment:|ref:refs\/heads\/|ref:refs\/tags\/)(.+)$/,
    label: ".github/workflows/integration.yml",
    advice: (repository) => `Save this workflow in ${repository.replaceAll(/@\d+/g, "")}, and adapt its last step.`,
    replace: (_, scope, ref) => {
      const name = JSON.stringify(ref.replaceAll("%3A", ":"));
      if (scope === "environment:") return [["ubuntu-latest", `ubuntu-latest\n    environment: ${name}`]];
      return [['branches: ["main"]', `${scope === "ref:refs/tags/" ? "tags" : "branches"}: [${name}]`]];
    },
  },
  {
    platform: "GitLab",
    identity: /^\S+ project_path:(.+):ref_type:(branch|tag):ref:(.+)$/,
    label: ".gitlab-ci.yml",
    advice: (project) => `Add this job to ${project}, and adapt its last line.`,
    replace: (_, type, ref) => [
      ['$CI_COMMIT_BRANCH == "main"', `$CI_COMMIT_${type.toUpperCase()} == ${JSON.stringify(ref)}`],
    ],
  },
  {
    platform: "Kubernetes",
    identity: /^\S+ system:serviceaccount:([^:]+):([^:]+)$/,
    label: "Manifest",
    advice: (namespace, account) =>
      `Apply this manifest with kubectl. It needs the service account ${account} in the namespace ${namespace}.`,
    replace: (namespace, account) => [
      ["metadata:\n  name: integration", `metadata:\n  name: integration\n  namespace: ${namespace}`],
      ["serviceAccountName: integration", `serviceAccountName: ${account}`],
    ],
  },
  {
    platform: "AWS",
    identity: /^https:\/\/[^/]+\.tokens\.sts\.global\.api\.aws (.+)$/,
    label: "Commands",
    advice: (role) => `Run these commands as ${role}. The role needs the permission sts:GetWebIdentityToken.`,
    replace: () => [],
  },
];

/** Returns the code for a trusted workload; `undefined` if the guide has none for its platform. */
export const snippetFor = (
  { issuer, subject }: Pick<Trust, "issuer" | "subject">,
  baseUrl: string,
): Snippet | undefined => {
  for (const { platform, identity, label, advice, replace } of kinds) {
    const [found, ...groups] = identity.exec(`${issuer} ${subject}`) ?? [];
    if (found === undefined) continue;
    const values: Replacements = [...replace(...groups), ["https://api.example.com", baseUrl]];
    const code = values.reduce((text, [example, value]) => text.replaceAll(example, () => value), codeBelow(platform));
    return { label, advice: advice(...groups), code };
  }
  return undefined;
};

/** Returns the first code block below a heading of the guide. */
const codeBelow = (heading: string): string =>
  new RegExp(`^## ${heading}\n.*?^\`\`\`\\w+\n(.*?)^\`\`\`$`, "ms").exec(guide)?.[1] ?? "";
