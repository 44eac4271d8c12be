/** Says that some changes are not in the history any more. */
export const DroppedNote = ({ dropped }: { dropped: number }) => (
  <span className="remark">
    {dropped === 1 ? "One older change is" : `${dropped.toLocaleString("en")} older changes are`} no longer kept: the
    history of each token and key keeps its first change and the latest ones.
  </span>
);
