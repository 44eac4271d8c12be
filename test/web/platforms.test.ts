import { expect, test } from "vitest";
import {
  identityOf,
  isComplete,
  noParts,
  type Parts,
  platforms,
} from "../../web/admin/pages/api-settings/trusts/platforms.ts";

const github = { owner: "octo-org@1", repository: "shop@2" };
const gitlab = { issuer: "https://gitlab.example.com", project: "group/sub/shop" };

test.each<[string, Partial<Parts>, string]>([
  ["GitHub Actions", { ...github, ref: "main" }, "repo:octo-org@1/shop@2:ref:refs/heads/main"],
  ["GitHub Actions", { ...github, scope: "environment", ref: "prod" }, "repo:octo-org@1/shop@2:environment:prod"],
  ["GitHub Actions", { ...github, scope: "tag", ref: "v1" }, "repo:octo-org@1/shop@2:ref:refs/tags/v1"],
  ["GitLab", { ...gitlab, ref: "main" }, "project_path:group/sub/shop:ref_type:branch:ref:main"],
  ["GitLab", { ...gitlab, scope: "tag", ref: "v1" }, "project_path:group/sub/shop:ref_type:tag:ref:v1"],
  ["Kubernetes", { issuer: "https://k", namespace: "shop", account: "sync" }, "system:serviceaccount:shop:sync"],
  ["AWS", { issuer: "https://a", subject: "arn:aws:iam::1:role/sync" }, "arn:aws:iam::1:role/sync"],
  ["Other", { issuer: "https://o", subject: "anything" }, "anything"],
])("the subject of a workload is the one that its platform signs: %s with %o", (label, typed, subject) => {
  const platform = platforms.find((one) => one.label === label) ?? platforms[0];
  const parts = { ...noParts, ...platform.initial, ...typed };
  const issuer = label === "GitHub Actions" ? "https://token.actions.githubusercontent.com" : parts.issuer;
  expect(identityOf(platform, parts)).toEqual({ issuer, subject });
  expect([parts, { ...noParts, ...platform.initial }].map((each) => isComplete(platform, each))).toEqual([true, false]);
});
