import { expect, test } from "vitest";
import {
  identityErrors,
  identityOf,
  noParts,
  type Parts,
  platforms,
} from "../../web/admin/pages/tokens/trusts/platforms.ts";
import { snippetFor } from "../../web/admin/pages/tokens/trusts/snippets.ts";

const platformOf = (label: string) => platforms.find((one) => one.label === label) ?? platforms[0];
const github = "https://token.actions.githubusercontent.com";
const aws = "https://a1.tokens.sts.global.api.aws";
const role = "arn:aws:iam::123456789012:role/sync";

test.each<[string, Partial<Parts>, string]>([
  ["GitHub Actions", { repository: "octo-org@1/shop@2" }, "repo:octo-org@1/shop@2:ref:refs/heads/main"],
  ["GitHub Actions", { repository: "a/b", scope: "environment", ref: "prod" }, "repo:a/b:environment:prod"],
  ["GitHub Actions", { repository: "a/b", scope: "tag", ref: "v1" }, "repo:a/b:ref:refs/tags/v1"],
  ["GitLab", { repository: "group/sub/shop" }, "project_path:group/sub/shop:ref_type:branch:ref:main"],
  ["GitLab", { repository: "group/shop", scope: "tag", ref: "v1" }, "project_path:group/shop:ref_type:tag:ref:v1"],
  [
    "Kubernetes",
    { issuer: "https://k.example/id/", namespace: "shop", account: "a.b" },
    "system:serviceaccount:shop:a.b",
  ],
  ["AWS", { issuer: aws, subject: role }, role],
  ["Other", { issuer: "https://o.example", subject: "anything" }, "anything"],
])("the subject of a workload matches what its platform signs: %s with %o", (label, typed, subject) => {
  const platform = platformOf(label);
  const initial = { ...noParts, ...platform.initial };
  const parts = { ...initial, ...typed };
  expect(identityOf(platform, parts)).toEqual({ issuer: typed.issuer ?? initial.issuer, subject });
  expect(Object.values(identityErrors(platform, parts)).join("")).toBe("");
  expect(Object.values(identityErrors(platform, initial))).toContain("Fill in this field.");
});

const github1 = { repository: "acme/web" };
test.each<[string, string, Partial<Parts> | undefined]>([
  ["GitHub Actions", "https://github.com/acme/web", github1],
  ["GitHub Actions", "https://www.github.com/acme/web.git", github1],
  ["GitHub Actions", "http://user@github.com:80/acme/web/?tab=readme#top", github1],
  ["GitHub Actions", "github.com/acme/web/issues/7", github1],
  ["GitHub Actions", "git@github.com:acme/web.git", github1],
  ["GitHub Actions", "ssh://git@github.com/acme/web.git", github1],
  [
    "GitHub Actions",
    "https://github.com/acme/web/tree/feature/x%2By",
    { ...github1, scope: "branch", ref: "feature/x+y" },
  ],
  ["GitHub Actions", "https://gitlab.com/acme/web", undefined],
  ["GitHub Actions", "acme/web", undefined],
  [
    "GitLab",
    "https://git.example.com/a/b/web/-/tree/main?ref_type=heads",
    { repository: "a/b/web", issuer: "https://git.example.com", scope: "branch", ref: "main" },
  ],
  ["GitLab", "git@gitlab.com:my.group/web.git", { repository: "my.group/web", issuer: "https://gitlab.com" }],
  ["GitLab", "https://gitlab.com/acme/web/-/pipelines", { repository: "acme/web", issuer: "https://gitlab.com" }],
  ["GitLab", "my.group/web", undefined],
])("a pasted address is split: %s, %s", (label, text, parts) => {
  expect(platformOf(label).paste?.("repository", text)).toEqual(parts);
});

test("a pasted subject of a service account is split", () => {
  const parts = { namespace: "default", account: "billing" };
  expect(platformOf("Kubernetes").paste?.("account", "system:serviceaccount:default:billing")).toEqual(parts);
});

test.each<[string, Partial<Parts>, string | RegExp]>([
  ["GitHub Actions", { repository: "web" }, /Enter the owner and the repository/],
  ["GitHub Actions", { repository: "acme/web/tree" }, /Enter the owner and the repository/],
  ["GitHub Actions", { repository: "acme/*" }, /^Wildcards never match\./],
  ["GitHub Actions", { repository: "acme/my web" }, /^It cannot contain spaces\./],
  ["GitHub Actions", { repository: "https://gitlab.com/acme/web" }, /Choose the platform of gitlab\.com\./],
  ["GitHub Actions", { ref: "refs/heads/main" }, "Leave out refs/heads/. Enter main."],
  ["GitHub Actions", { ref: "release/*" }, /^Wildcards never match\./],
  ["GitHub Actions", { ref: "my branch" }, /^It cannot contain spaces\./],
  ["GitHub Actions", { ref: "/main" }, "Enter one exact name, such as main."],
  ["GitHub Actions", { scope: "tag", ref: "refs/tags/v1" }, "Leave out refs/tags/. Enter v1."],
  ["GitHub Actions", { scope: "environment", ref: "a:b" }, "GitHub writes %3A for a colon. Enter a%3Ab."],
  ["GitLab", { repository: "web" }, /^Enter the group and the project/],
  ["GitLab", { issuer: "https://gitlab.com/" }, "Leave out the slash at the end. Enter https://gitlab.com."],
  ["GitLab", { issuer: "gitlab.com" }, /^It must begin with https:/],
  ["Kubernetes", { issuer: "https://K.example" }, "This spelling never matches. Enter https://k.example."],
  ["Kubernetes", { issuer: "https://k.example:443/id?a" }, "This spelling never matches. Enter https://k.example/id."],
  ["Kubernetes", { namespace: "Default" }, /lower-case/],
  ["Kubernetes", { account: "team/billing" }, /lower-case/],
  ["AWS", { issuer: `${aws}/` }, /without a slash at the end\.$/],
  ["AWS", { subject: "billing" }, /^Enter the whole ARN/],
  [
    "AWS",
    { subject: "arn:aws:sts::123456789012:assumed-role/sync/me" },
    `This is a session of a role. Enter the role: ${role}.`,
  ],
  ["AWS", { subject: "arn:aws:iam::123456789012:role/*" }, /^Wildcards never match\./],
  ["Other", { subject: "repo:*" }, /^Wildcards never match\./],
])("rejects a %s that can never match, and says what to enter: %o", (label, typed, problem) => {
  const platform = platformOf(label);
  const errors = identityErrors(platform, { ...noParts, ...platform.initial, ...typed });
  const [part] = Object.keys(typed).slice(-1) as [keyof Parts];
  expect(errors[part]).toEqual(
    expect.stringMatching(problem instanceof RegExp ? problem : new RegExp(`^${RegExp.escape(problem)}$`)),
  );
});

test.each<[string, string, string | undefined, string[]]>([
  [github, "repo:acme@1/web@2:ref:refs/heads/next", "Save this workflow in acme/web, and", ['branches: ["next"]']],
  [github, "repo:acme/web:ref:refs/tags/v1", "in acme/web,", ['tags: ["v1"]']],
  [github, "repo:acme/web:environment:a%3Ab", "in acme/web,", ['ubuntu-latest\n    environment: "a:b"\n']],
  ["https://git.example", "project_path:a/b/c:ref_type:tag:ref:v1", "to a/b/c,", ['if: $CI_COMMIT_TAG == "v1"']],
  ["https://k", "system:serviceaccount:shop:sync", "sync in the namespace shop", ["namespace: shop", "Name: sync\n"]],
  [aws, role, `as ${role}.`, ["aws sts get-web-identity-token --audience https://api.test "]],
  [github, "repository_owner:acme", undefined, []],
])("the code of the guide is filled in for a trust: %s %s", (issuer, subject, advice, texts) => {
  const snippet = snippetFor({ issuer, subject }, "https://api.test");
  expect(snippet?.advice).toEqual(advice && expect.stringContaining(advice));
  for (const text of [...texts, ...(snippet ? ["https://api.test"] : [])]) expect(snippet?.code).toContain(text);
  expect(snippet?.code ?? "").not.toMatch(/api\.example\.com|```|: integration\nspec|AccountName: integration/);
});
