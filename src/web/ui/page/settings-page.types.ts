/** Props of all settings pages: the id in the address. */
export interface SettingsPageProps {
  readonly id: string | undefined;
}
