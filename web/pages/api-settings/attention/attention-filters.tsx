import ToggleButton from "@cloudscape-design/components/toggle-button";
import { useBreakpoint } from "../../../parts/use-breakpoint.ts";
import { type Attention, attentionNames, attentions } from "./attention-reasons.ts";

interface AttentionFiltersProps {
  /** How many tokens there are for each; none while it is not known. */
  counts: Record<Attention, number | undefined>;
  /** Whether the counts can still grow. */
  isArriving: boolean;
  chosen: Attention | undefined;
  onChange: (attention: Attention | undefined) => void;
}

/** One button for each reason why tokens need attention. A second click shows all tokens again. */
export const AttentionFilters = ({ counts, isArriving, chosen, onChange }: AttentionFiltersProps) => {
  const isPhone = useBreakpoint() === "phone";
  return (
    <fieldset className="attention-filters" aria-label="Needs attention">
      {attentions.map((attention) => {
        const { short, rest } = attentionNames[attention];
        const count = counts[attention]?.toLocaleString("en");
        return (
          <ToggleButton
            key={attention}
            pressed={attention === chosen}
            onChange={({ detail }) => onChange(detail.pressed ? attention : undefined)}
          >
            {short}
            {rest !== "" && <span {...(isPhone && { className: "screen-reader-only" })}> {rest}</span>}
            {count !== undefined && ` (${count}${isArriving ? "+" : ""})`}
          </ToggleButton>
        );
      })}
    </fieldset>
  );
};
