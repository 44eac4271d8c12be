import { Button, type ButtonDropdownProps, type ButtonProps } from "@cloudscape-design/components";

interface DangerButtonProps extends Omit<ButtonProps, "variant" | "style"> {
  /** The button that does it is filled; one that leads to it, which is `normal`, has an outline. */
  variant?: "primary" | "normal";
}

/** A button for what destroys something, such as a deletion. */
export const DangerButton = ({ variant = "primary", ...props }: DangerButtonProps) => (
  <Button {...props} variant={variant} style={styles[variant]} />
);

/** Shows the item of a menu that destroys something. The menu shows the others. */
export const dangerItem =
  (id: string): ButtonDropdownProps.ItemRenderer =>
  ({ item: { option, disabled } }) =>
    option.id === id && !disabled ? <span className="danger-item">{option.text}</span> : null;

const each = (value: string) => ({ default: value, hover: value, active: value });
const darkerInUse = { default: "var(--red)", hover: "var(--red-in-use)", active: "var(--red-in-use)" };

const styles: Record<"primary" | "normal", ButtonProps.Style> = {
  primary: { root: { background: darkerInUse, borderColor: darkerInUse, color: each("var(--on-red)") } },
  normal: {
    root: {
      background: { default: "var(--ground)", hover: "var(--red-ground)", active: "var(--red-ground)" },
      borderColor: darkerInUse,
      color: darkerInUse,
    },
  },
};
