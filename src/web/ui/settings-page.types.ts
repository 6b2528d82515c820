/** Describes what every page of the settings receives: the id in its address. */
export interface SettingsPageProps {
  readonly id: string | undefined;
}
