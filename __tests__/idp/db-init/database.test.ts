import { lifeOfADatabase } from "./life-of-a-database";
import { describeOnServer } from "./tenants";

describeOnServer("db-init.sh", lifeOfADatabase);
