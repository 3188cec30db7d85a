import { Ec2StandIn } from "../lab/inventory/ec2-stand-in";

/** Serves a fleet of the size that is given, in a process of its own, and prints its address. */
void new Ec2StandIn(Number(process.argv[2])).start().then(({ endpoint }) => {
  process.stdout.write(`${endpoint}\n`);
});
