// What every page of the dashboard is given.

export interface PageProps {
  /** What follows the page's name in the address, decoded. */
  readonly id: string | undefined;
}
