import { fieldProblems, parseRepository } from "./workload-fields.ts";

type Part = "issuer" | "repository" | "namespace" | "account" | "scope" | "ref" | "subject";

/** The parts of a workload's identity, as an admin types them. Each platform needs some of them. */
export type Parts = Readonly<Record<Part, string>>;

export const noParts: Parts = {
  issuer: "",
  repository: "",
  namespace: "",
  account: "",
  scope: "branch",
  ref: "",
  subject: "",
};

export interface Platform {
  label: string;
  /** Help for values that an admin may not know. */
  hint?: string;
  /** Initial values. */
  initial?: Partial<Parts>;
  /** The fields that the admin fills in. If the issuer isn't among them, it is fixed. */
  fields: readonly (readonly [part: Part, label: string, placeholder: string])[];
  /** The kinds of pipeline runs that a trust can be limited to, keyed by their prefix in the subject. */
  scopes?: Readonly<Record<string, string>>;
  subject: (parts: Parts) => string;
  /** Returns why a value can never match a JWT, and what to write instead; an empty string if it can match. */
  problem: (part: Part, parts: Parts) => string;
  /** Splits what the admin has pasted into one field. */
  paste?: (part: Part, text: string) => Partial<Parts> | undefined;
}

const githubIssuer = "https://token.actions.githubusercontent.com";

export const platforms: readonly [Platform, ...Platform[]] = [
  {
    label: "GitHub Actions",
    hint: "For jobs with an environment, choose “One environment”. GitHub adds ids to the names of repositories that were created or renamed since 15 July 2026: enter octo-org@123456/octo-repo@456789.",
    initial: { issuer: githubIssuer, ref: "main" },
    fields: [["repository", "Repository", "octo-org/octo-repo, or its address"]],
    scopes: { branch: "ref:refs/heads/", environment: "environment:", tag: "ref:refs/tags/" },
    subject: ({ repository }) => `repo:${repository}:`,
    problem: (part, parts) =>
      part === "repository" ? fieldProblems.githubRepository(parts.repository) : fieldProblems.ref(parts),
    paste(part, text) {
      const pasted = part === "repository" ? parseRepository(text) : undefined;
      if (pasted?.host !== "github.com") return undefined;
      const [, repository = pasted.path, ref] =
        /^([^/]+\/[^/]+?)(?:\.git)?(?:\/tree\/(.+)|\/.*)?$/.exec(pasted.path) ?? [];
      return { repository, ...(ref !== undefined && { scope: "branch", ref }) };
    },
  },
  {
    label: "GitLab",
    initial: { issuer: "https://gitlab.com", ref: "main" },
    fields: [
      ["repository", "Project", "group/project, or its address"],
      ["issuer", "Address of GitLab", "https://gitlab.com"],
    ],
    scopes: { branch: "ref_type:branch:ref:", tag: "ref_type:tag:ref:" },
    subject: ({ repository }) => `project_path:${repository}:`,
    problem(part, parts) {
      if (part === "issuer") return fieldProblems.issuer(parts.issuer) || fieldProblems.slash(parts.issuer);
      return part === "repository" ? fieldProblems.gitlabProject(parts.repository) : fieldProblems.ref(parts);
    },
    paste(part, text) {
      const pasted = part === "repository" ? parseRepository(text) : undefined;
      if (!pasted) return undefined;
      const [, repository = pasted.path, ref] = /^(.+?)(?:\.git)?(?:\/-\/tree\/(.+)|\/-\/.*)?$/.exec(pasted.path) ?? [];
      return { repository, issuer: `https://${pasted.host}`, ...(ref !== undefined && { scope: "branch", ref }) };
    },
  },
  {
    label: "Kubernetes",
    hint: "“kubectl get --raw /.well-known/openid-configuration” shows the issuer. The service must be able to read its keys over the internet.",
    fields: [
      ["issuer", "Issuer of the cluster", "https://oidc.eks.eu-central-1.amazonaws.com/id/…"],
      ["namespace", "Namespace", "default"],
      ["account", "Service account", "billing"],
    ],
    subject: ({ namespace, account }) => `system:serviceaccount:${namespace}:${account}`,
    problem(part, parts) {
      if (part === "issuer") return fieldProblems.issuer(parts.issuer);
      return part === "namespace" ? fieldProblems.namespace(parts.namespace) : fieldProblems.account(parts.account);
    },
    paste(_, text) {
      const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(text) ?? [];
      return namespace !== undefined && account !== undefined ? { namespace, account } : undefined;
    },
  },
  {
    label: "AWS",
    hint: "Each AWS account has its own issuer. IAM shows it in the account settings, once outbound identity federation is enabled there.",
    fields: [
      ["issuer", "Issuer of the AWS account", "https://….tokens.sts.global.api.aws"],
      ["subject", "ARN of the role", "arn:aws:iam::123456789012:role/billing"],
    ],
    subject: ({ subject }) => subject,
    problem: (part, parts) =>
      part === "issuer" ? fieldProblems.awsIssuer(parts.issuer) : fieldProblems.role(parts.subject),
  },
  {
    label: "Other",
    fields: [
      ["issuer", "Issuer", "https://issuer.example.com"],
      ["subject", "Subject", "exactly as in the claim sub"],
    ],
    subject: ({ subject }) => subject,
    problem: (part, parts) =>
      part === "issuer" ? fieldProblems.issuer(parts.issuer) : fieldProblems.subject(parts.subject),
  },
];

/** Returns all fields that an admin has to fill in for a platform. */
export const fieldsOf = ({ fields, scopes }: Platform, { scope }: Parts): Platform["fields"] =>
  scopes ? [...fields, ["ref", capitalised(scope), placeholders[scope] ?? ""]] : fields;

const placeholders: Readonly<Record<string, string>> = { branch: "main", environment: "production", tag: "v1" };

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the issuer and subject of a workload's JWTs. */
export const identityOf = ({ scopes, subject }: Platform, parts: Parts): Pick<Parts, "issuer" | "subject"> => ({
  issuer: parts.issuer,
  subject: subject(parts) + (scopes ? `${scopes[parts.scope]}${parts.ref}` : ""),
});

/** Returns what is wrong with each field, with empty strings for valid ones. */
export const identityErrors = (platform: Platform, parts: Parts): Partial<Parts> =>
  Object.fromEntries(
    fieldsOf(platform, parts).map(([part]) => [
      part,
      parts[part] === "" ? "Fill in this field." : platform.problem(part, parts),
    ]),
  );
