import {
  Button,
  type ButtonProps,
  ExpandableSection,
  LiveRegion,
  SpaceBetween,
  StatusIndicator,
  type StatusIndicatorProps,
} from "@cloudscape-design/components";
import { useEffect, useRef } from "react";
import type { Token } from "../../../../api/types.ts";
import { Dialog } from "../../../../parts/dialog.tsx";
import { useBlocker } from "../../../../session/blocker.ts";
import { TokenMention } from "../../../../tokens/token-name.tsx";
import { canRetry, failureOf, type Outcome, type Outcomes, type Run } from "./run-each.ts";
import { actionTexts, type Plan, type SeveralAction, type Skipped, tokensInWords } from "./several-plan.ts";

interface ResultDialogProps {
  action: SeveralAction;
  plan: Plan;
  run: Run;
  /** Called with the tokens that need no further action. */
  onClose: (finished: Token[]) => void;
}

/** Shows the action's progress, then the result for each token. Stays open until the action is done. */
export const ResultDialog = ({ action, plan: { tokens, skipped }, run, onClose }: ResultDialogProps) => {
  const { outcomes, retriable, retry, stop, isStopping, isLocked: isRunning } = run;
  // The browser asks before it leaves the page halfway through.
  useBlocker(isRunning);
  const texts = actionTexts[action];
  const doneCount = [...outcomes.values()].filter((outcome) => outcome === "done").length;
  const finished = tokens.filter(({ token_id }) => !canRetry(outcomes.get(token_id)));
  const close = () => {
    if (!isRunning) onClose([...finished, ...skipped.map(({ token }) => token)]);
  };

  return (
    <Dialog
      title={isRunning ? texts.running : "Result"}
      onClose={close}
      actions={
        <>
          {!isRunning && retriable.length > 0 && (
            <Button onClick={retry}>Try again for {tokensInWords(retriable.length)}</Button>
          )}
          {isRunning ? (
            <FocusedButton key="stop" onClick={stop} loading={isStopping} loadingText="Stopping">
              Stop
            </FocusedButton>
          ) : (
            <FocusedButton key="close" variant="primary" onClick={close}>
              Close
            </FocusedButton>
          )}
        </>
      }
    >
      <SpaceBetween size="m">
        <LiveRegion>
          <StatusIndicator type={isRunning ? "loading" : doneCount === tokens.length ? "success" : "warning"}>
            {doneCount.toLocaleString("en")} of {tokensInWords(tokens.length)} {texts.done}
          </StatusIndicator>
        </LiveRegion>
        <ul className="stack">
          {inOrder(tokens, outcomes).map((token) => (
            <li key={token.token_id}>
              <TokenMention token={token} />
              <div>
                <Result action={action} outcome={outcomes.get(token.token_id)} isRunning={isRunning} />
              </div>
            </li>
          ))}
        </ul>
        {skipped.length > 0 && <SkippedTokens skipped={skipped} />}
      </SpaceBetween>
    </Dialog>
  );
};

/** Takes the focus, because the previously focused button may be gone. Content above it stays in view. */
const FocusedButton = (props: ButtonProps) => {
  const button = useRef<ButtonProps.Ref>(null);
  useEffect(() => button.current?.focus({ preventScroll: true }), []);
  return <Button {...props} ref={button} />;
};

/** Sorts failures first, so that none is hidden in a long list. */
const inOrder = (tokens: readonly Token[], outcomes: Outcomes): Token[] => {
  const place = ({ token_id }: Token): number => Number(failureOf(outcomes.get(token_id)) === undefined);
  return tokens.toSorted((one, other) => place(one) - place(other));
};

interface ResultProps {
  action: SeveralAction;
  outcome: Outcome | undefined;
  isRunning: boolean;
}

/** Shows the result for one token, and what to do about it. */
const Result = ({ action, outcome, isRunning }: ResultProps) => {
  const texts = actionTexts[action];
  const failure = failureOf(outcome);
  if (outcome === "done") return <StatusIndicator type="success">{texts.oneDone}</StatusIndicator>;
  if (outcome === "running") return <StatusIndicator type="in-progress">In progress</StatusIndicator>;
  if (!failure && isRunning) return <StatusIndicator type="pending">Waiting</StatusIndicator>;
  if (!failure) return <Problem type="stopped" title={texts.oneNotDone} reason="Nothing was sent." />;
  const reason = [failure.message, ...Object.values(failure.fields).flat()].join(" ");
  return failure.isOutcomeUnknown ? (
    <Problem type="warning" title="Not known" reason={`${reason} ${texts.oneUnknown}`} />
  ) : (
    <Problem type="error" title={texts.oneNotDone} reason={reason} />
  );
};

interface ProblemProps {
  type: StatusIndicatorProps.Type;
  title: string;
  reason: string;
}

/** The reason is outside the indicator, because the indicator breaks long texts within words. */
const Problem = ({ type, title, reason }: ProblemProps) => (
  <>
    <StatusIndicator type={type}>{title}</StatusIndicator>
    <div>{reason}</div>
  </>
);

/** Longer lists are collapsed at first. */
export const maxOpen = 5;

export const SkippedTokens = ({ skipped }: { skipped: Skipped[] }) => (
  <ExpandableSection
    headerText={`${tokensInWords(skipped.length)} skipped`}
    defaultExpanded={skipped.length <= maxOpen}
  >
    <ul className="stack">
      {skipped.map(({ token, reason }) => (
        <li key={token.token_id}>
          <TokenMention token={token} /> <span className="remark">{reason}</span>
        </li>
      ))}
    </ul>
  </ExpandableSection>
);
