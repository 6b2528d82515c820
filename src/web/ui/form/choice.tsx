import type { ComponentChildren, JSX } from "preact";

type Input = Omit<JSX.InputHTMLAttributes<HTMLInputElement>, "type" | "class" | "children">;

function Choice(
  props: Input & { type: string; inputClass: string; hint?: string | undefined; children: ComponentChildren },
) {
  const { inputClass, hint, children, ...input } = props;
  return (
    <label class={`flex cursor-pointer gap-3 ${hint === undefined ? "items-center" : "items-start"}`}>
      <input class={`${inputClass} flex-none ${hint === undefined ? "" : "mt-0.5"}`} {...input} />
      {hint === undefined ? (
        children
      ) : (
        <span>
          {children}
          <span class="block text-sm text-soft">{hint}</span>
        </span>
      )}
    </label>
  );
}

/** A checkbox with its text; `hint` is shown below the text. Accepts the attributes of `input`. */
export function Checkbox({
  onCheck,
  ...props
}: Input & {
  onCheck?: ((checked: boolean) => void) | undefined;
  hint?: string | undefined;
  children: ComponentChildren;
}) {
  return (
    <Choice
      type="checkbox"
      inputClass="checkbox checkbox-sm"
      onChange={onCheck && ((e) => onCheck(e.currentTarget.checked))}
      {...props}
    />
  );
}

/** A radio button with its text; `hint` is shown below the text. Accepts the attributes of `input`. */
export const Radio = (props: Input & { hint?: string | undefined; children: ComponentChildren }) => (
  <Choice type="radio" inputClass="radio radio-sm" {...props} />
);
