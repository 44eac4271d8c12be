import { Button, type ButtonDropdownProps, type ButtonProps } from "@cloudscape-design/components";

interface DangerButtonProps extends Omit<ButtonProps, "variant" | "style"> {
  /** `primary` is filled, for the button that performs the action. `normal` is outlined, for a button that leads to that one. */
  variant?: "primary" | "normal";
}

/** A button for a destructive action, such as a deletion. */
export const DangerButton = ({ variant = "primary", ...props }: DangerButtonProps) => (
  <Button {...props} variant={variant} style={styles[variant]} />
);

/** Renders a destructive menu item. The menu renders all other items. */
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
