import { useMutation } from "@tanstack/react-query";
import type { TokenTerms } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.ts";
import { useBlocker } from "../../../session/blocker.ts";
import { useTokenCache } from "../token/token-queries.ts";
import { IssueForm } from "./issue-form.tsx";
import { IssuedDialog, withoutText } from "./issued-dialog.tsx";

/** Issues a token: asks for its terms, then shows its text once. */
export const IssueDialog = ({ onClose }: { onClose: () => void }) => {
  const { api } = useApp();
  const { update, reloadAfter } = useTokenCache();
  const issue = useMutation({
    mutationFn: (terms: TokenTerms) => api("issue", terms),
    onSuccess: (issued) => {
      update(withoutText(issued));
    },
    onError: reloadAfter,
  });

  // The answer has the only copy of the text.
  useBlocker(issue.isPending);

  if (issue.data) return <IssuedDialog title="The token was issued" issued={issue.data} onClose={onClose} />;
  return (
    <IssueForm
      isPending={issue.isPending}
      failure={issue.error}
      onSubmit={(terms) => issue.mutate(terms)}
      onCancel={onClose}
    />
  );
};
