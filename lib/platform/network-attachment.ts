/** An existing network for private addresses; a null that only Terraform knows means none. */
export interface NetworkAttachment {
  /** `projects/<project>/global/networks/<name>`; it must already have private services access. */
  readonly network: string;

  /** `projects/<project>/regions/<region>/subnetworks/<name>`, in the region of the service, /26 or larger. */
  readonly subnetwork: string;
}
