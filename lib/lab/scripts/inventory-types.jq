# One line of JSON per instance type: name, cores and memory.
{type: (.InstanceType // error("no list of types")), cores: .VCpuInfo.DefaultVCpus, mebibytes: .MemoryInfo.SizeInMiB} | tojson
