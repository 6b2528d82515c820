import { Pause, Play } from "lucide-preact";
import { toast } from "../platform/toasts.ts";
import { useAction } from "./form/use-form.ts";
import { errorText } from "./page/error-text.ts";

/** Button that starts something paused, or pauses it. */
export function StartPauseButton(props: {
  isActive: boolean;
  text: string;
  /** Label including the name of the item, for a button with an icon only. */
  iconLabel?: string | undefined;
  class?: string;
  /** Resolves to a message about the result, if there is one. */
  onPress: () => Promise<string | undefined>;
  onChanged: () => void;
}) {
  const { isActive, text, iconLabel } = props;
  const action = useAction();
  const press = () =>
    action.run(async () => {
      try {
        const done = await props.onPress();
        if (done !== undefined) toast("success", done);
      } catch (error) {
        toast("error", errorText(error));
      }
      props.onChanged();
    });
  const Icon = isActive ? Pause : Play;
  const variant =
    iconLabel === undefined ? `btn btn-sm ${isActive ? "" : "btn-primary"}` : "btn btn-ghost btn-sm";
  return (
    <button
      type="button"
      class={props.class ?? variant}
      disabled={action.busy}
      aria-label={iconLabel}
      title={text}
      onClick={press}
    >
      <Icon size={16} aria-hidden="true" />
      {iconLabel === undefined && text}
    </button>
  );
}
