mib:::ipInReceives { @ = count(); }
