import ExpandableSection from "@cloudscape-design/components/expandable-section";
import type { Token } from "../../../../api/types.ts";
import { TokenMention } from "../../../../tokens/token-name.tsx";
import { tokensInWords } from "./action-texts.ts";
import type { Plan, Skipped } from "./several-plan.ts";

/** Short lists are shown at once. */
const maxOpen = 5;

/** What is about to be done, and to which tokens. */
export const PlanSummary = ({ plan: { tokens, skipped, inUseCount } }: { plan: Plan }) => (
  <>
    {tokens.length > 0 && (
      <ExpandableSection headerText={tokensInWords(tokens.length)} defaultExpanded={tokens.length <= maxOpen}>
        <TokenNames tokens={tokens} />
      </ExpandableSection>
    )}
    {tokens.length > 0 && (
      <div>
        {inUseCount === 0
          ? "None of them was used in the last seven days."
          : `${inUseCount.toLocaleString("en")} of them ${inUseCount === 1 ? "was" : "were"} used in the last seven days.`}
      </div>
    )}
    {skipped.length > 0 && <SkippedTokens skipped={skipped} />}
  </>
);

export const SkippedTokens = ({ skipped }: { skipped: Skipped[] }) => (
  <ExpandableSection
    headerText={`${tokensInWords(skipped.length)} skipped`}
    defaultExpanded={skipped.length <= maxOpen}
  >
    <ul className="token-names">
      {skipped.map(({ token, reason }) => (
        <li key={token.token_id}>
          <TokenMention token={token} /> <span className="remark">{reason}</span>
        </li>
      ))}
    </ul>
  </ExpandableSection>
);

const TokenNames = ({ tokens }: { tokens: Token[] }) => (
  <ul className="token-names">
    {tokens.map((token) => (
      <li key={token.token_id}>
        <TokenMention token={token} />
      </li>
    ))}
  </ul>
);
