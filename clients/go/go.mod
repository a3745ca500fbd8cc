module github.com/custos/custos-go

go 1.19
