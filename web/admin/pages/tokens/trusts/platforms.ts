type Part = "issuer" | "owner" | "repository" | "project" | "namespace" | "account" | "scope" | "ref" | "subject";

/** The parts of a workload's identity, as an admin types them. Each platform needs some of them. */
export type Parts = Readonly<Record<Part, string>>;

export const noParts: Parts = {
  ...{ issuer: "", owner: "", repository: "", project: "", namespace: "", account: "" },
  ...{ scope: "branch", ref: "", subject: "" },
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
}

const ownSubject = ({ subject }: Parts): string => subject;

export const platforms: readonly [Platform, ...Platform[]] = [
  {
    label: "GitHub Actions",
    hint: "If a job names an environment, its subject has that environment and no branch. Repositories that were created or renamed since 15 July 2026 have ids in their subjects: enter octo-org@123456 and octo-repo@456789.",
    initial: { issuer: "https://token.actions.githubusercontent.com" },
    fields: [
      ["owner", "Organisation or user", "octo-org"],
      ["repository", "Repository", "octo-repo"],
    ],
    scopes: { branch: "ref:refs/heads/", environment: "environment:", tag: "ref:refs/tags/" },
    subject: ({ owner, repository }) => `repo:${owner}/${repository}:`,
  },
  {
    label: "GitLab",
    initial: { issuer: "https://gitlab.com" },
    fields: [
      ["issuer", "Address of GitLab", "https://gitlab.com"],
      ["project", "Project", "group/project"],
    ],
    scopes: { branch: "ref_type:branch:ref:", tag: "ref_type:tag:ref:" },
    subject: ({ project }) => `project_path:${project}:`,
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
  },
  {
    label: "AWS",
    hint: "Each AWS account has an issuer of its own. IAM shows it in the account settings, once outbound identity federation is enabled there. The workload has to ask for the signing algorithm RS256.",
    fields: [
      ["issuer", "Issuer of the AWS account", "https://….tokens.sts.global.api.aws"],
      ["subject", "ARN of the role", "arn:aws:iam::123456789012:role/billing"],
    ],
    subject: ownSubject,
  },
  {
    label: "Other",
    fields: [
      ["issuer", "Issuer", "https://issuer.example.com"],
      ["subject", "Subject", "exactly as in the claim sub"],
    ],
    subject: ownSubject,
  },
];

/** Returns all fields that an admin has to fill in for a platform. */
export const fieldsOf = ({ fields, scopes }: Platform, { scope }: Parts): Platform["fields"] =>
  scopes ? [...fields, ["ref", capitalised(scope), "its name"]] : fields;

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the issuer and subject of a workload's JWTs. */
export const identityOf = ({ scopes, subject }: Platform, parts: Parts): Pick<Parts, "issuer" | "subject"> => ({
  issuer: parts.issuer,
  subject: subject(parts) + (scopes ? `${scopes[parts.scope]}${parts.ref}` : ""),
});

/** Whether all fields are filled in. */
export const isComplete = (platform: Platform, parts: Parts): boolean =>
  fieldsOf(platform, parts).every(([part]) => parts[part] !== "");
