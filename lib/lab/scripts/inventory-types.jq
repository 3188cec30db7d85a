# One line of JSON per instance type: name, cores and memory.
{type: .InstanceType, cores: .VCpuInfo.DefaultVCpus, mebibytes: .MemoryInfo.SizeInMiB} | tojson
