import { PROJECT_ID } from "../core/deployment-context";
import { type NetworkInputs, networkInputs } from "../core/inputs/network-inputs";
import { flag, orResource, text } from "../core/inputs/rows";
import { KMS_KEY } from "../core/kms-key";
import { prose } from "../core/prose";
import { COMPUTE, LINUX_IMAGE, NETWORK, WINDOWS_IMAGE } from "./contract";

const NETWORK_INPUTS = networkInputs(
  {
    network: prose`
      in custom mode or shared by another project. No firewall rule and no NAT is created in it;
      they are its owner's, and the documentation of the lab lists them. Do not change it later:
      a network with VMs on it can be neither released nor adopted.
    `,
    tagged: "the VMs",
    subnetwork: "in which the VMs get their addresses. Do not change it later, for the same reason.",
  },
  `${NETWORK} `,
);

const OTHER_INPUTS = {
  /** Logs the connections that the firewall rules of the lab allow. */
  firewallLogging: flag({
    default: false,
    description: prose`
      ${NETWORK} Logs the connections that the firewall rules of the lab allow, which Cloud Logging bills.
      Changing it later is safe.
    `,
  }),
  /** Gives the Windows VM a public address; otherwise remote desktop goes through the identity-aware proxy. */
  windowsExternalIp: flag({
    default: true,
    description: prose`
      ${COMPUTE} Gives the Windows VM a public address. False: connect through the identity-aware proxy,
      with the command in the output windows_vm_external_ip; allow-rdp then allows the proxy instead of any
      address. A network that is created here gets Cloud NAT, because the discovery client needs the internet;
      an existing one must have it. Changing it later is safe.
    `,
  }),
  /** Turns OS Login on for the Linux VMs, which then ignore keys in metadata, including the key of the lab. */
  osLogin: flag({
    default: false,
    description: prose`
      ${COMPUTE} Turns OS Login on for the Linux VMs, which then ignore keys in metadata, also that of the lab.
      Add its public half to your profile with gcloud compute os-login ssh-keys add --key-file=lab-ssh-key.pub,
      and give the discovery client the user name of the profile, such as alice_example_com.
      Changing it later is safe.
    `,
  }),
  /** Sends the output of the serial ports, such as the last line of the start-up scripts, to Cloud Logging. */
  serialPortLogging: flag({
    default: true,
    description: prose`
      ${COMPUTE} Sends what the serial ports print, such as the last line of the start-up scripts,
      to Cloud Logging. False leaves gcloud compute instances get-serial-port-output. Changing it later is safe.
    `,
  }),
  /** Project with image families of the same names, instead of the public projects. */
  imageProject: text({
    default: null,
    description: prose`
      ${COMPUTE} Project with the image families ${WINDOWS_IMAGE.family} and ${LINUX_IMAGE.family},
      which must support Secure Boot[[; null for the public projects ${WINDOWS_IMAGE.project} and
      ${LINUX_IMAGE.project}]]. Changing it later replaces the VMs.
    `,
    must: PROJECT_ID,
  }),
  /**
   * Key of Cloud KMS, `projects/<project>/locations/<region>/keyRings/<ring>/cryptoKeys/<key>` or its resource, for
   * disks and key bucket.
   */
  kmsKey: orResource(
    "id",
    ["google_kms_crypto_key"],
    text({
      default: null,
      description: prose`
        ${COMPUTE} Key of Cloud KMS in the region that encrypts the disks of the VMs and the key bucket,
        projects/<project>/locations/<region>/keyRings/<ring>/cryptoKeys/<key>. Before the first apply,
        service-<number>@compute-system.iam.gserviceaccount.com and
        service-<number>@gs-project-accounts.iam.gserviceaccount.com, with the number of the project,
        need roles/cloudkms.cryptoKeyEncrypterDecrypter on it. Changing it later replaces the VMs.
      `,
      must: KMS_KEY,
    }),
  ),
};

type LabLandingZone = NetworkInputs & typeof OTHER_INPUTS;

/** Inputs for the requirements of organizations. */
export const LAB_LANDING_ZONE: LabLandingZone = { ...NETWORK_INPUTS, ...OTHER_INPUTS };
